/* People who join an organization by its verified domain (rules 40). All writes are under the organization's lock. */

/* Organizations that somebody may join by the present, verified address; with :organizationId only that one. */
/* @name listJoinable */
SELECT o.id, o.name, d.domain, d.id AS domain_id, d.join_mode AS mode, r.created_at AS "requested_at?",
  COALESCE(ended.is_deleted AND ended.ended_as IS DISTINCT FROM 'left', false) AS "was_removed!"
FROM users u
JOIN organization_domains d ON d.domain = split_part(u.email, '@', 2) AND d.status = 'VERIFIED' AND d.join_mode <> 'off'
JOIN organizations o ON o.id = d.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
LEFT JOIN memberships ended ON ended.organization_id = o.id AND ended.user_id = u.id
LEFT JOIN open_join_requests r ON r.organization_id = o.id AND r.user_id = u.id
WHERE u.id = :userId! AND NOT u.is_deleted AND u.email_verified_at IS NOT NULL AND (:organizationId::uuid IS NULL OR o.id = :organizationId)
  AND ended.is_deleted IS NOT FALSE
  AND NOT EXISTS (
    SELECT FROM join_requests denied WHERE denied.organization_id = o.id AND denied.user_id = u.id AND denied.decision = 'denied'
      AND denied.decided_at > now() - interval '90 days')
ORDER BY o.search_name COLLATE natural_order, o.id LIMIT 20;

/* Whether the account is a member, would be bound to single sign-on as one, and the digest of an invitation that it can accept. */
/* @name findJoiner */
SELECT u.email,
  EXISTS (SELECT FROM memberships m WHERE m.organization_id = :organizationId! AND m.user_id = u.id AND NOT m.is_deleted) AS "is_member!",
  is_bound_to_sso(:organizationId, u.id) AS "is_bound!", (
    SELECT i.token_hash FROM pending_invitations i
    WHERE i.organization_id = :organizationId AND i.email COLLATE "C" = u.email AND i.is_usable
    ORDER BY i.created_at DESC LIMIT 1) AS "invitation?"
FROM users u WHERE u.id = :userId! AND NOT u.is_deleted;

/* @name listDomainAssignments */
SELECT a.role_id, r.name AS role_name, r.permissions, a.unit_id, n.name AS "unit_name?"
FROM organization_domain_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units n ON n.id = a.unit_id
WHERE a.domain_id = :domainId! AND n.is_deleted IS NOT TRUE
ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, n.name COLLATE natural_order;

/* @name countOpenRequests */
SELECT count(*)::int AS "count!" FROM join_requests
WHERE organization_id = :organizationId! AND decided_at IS NULL AND expires_at > now();

/* A request that has ended makes room for a new one. Returns no row if one is open. */
/* @name insertRequest */
WITH ended AS (
  DELETE FROM join_requests r WHERE r.organization_id = :organizationId! AND r.user_id = :userId! AND r.decided_at IS NULL
    AND NOT EXISTS (SELECT FROM open_join_requests o WHERE o.id = r.id)
  RETURNING r.id
)
INSERT INTO join_requests (organization_id, user_id, domain, email)
SELECT :organizationId, :userId, :domain!, :email! FROM (SELECT count(*) FROM ended) AS after_the_end
ON CONFLICT (organization_id, user_id) WHERE decided_at IS NULL DO NOTHING
RETURNING id;

/* @name deleteRequest */
DELETE FROM join_requests WHERE organization_id = :organizationId! AND user_id = :userId! AND decided_at IS NULL RETURNING id;

/* Deletes the undecided requests of a person; with organizations, only those to them. */
/* @name deleteUndecidedRequests */
DELETE FROM join_requests
WHERE user_id = :userId! AND decided_at IS NULL AND (:organizationIds::uuid[] IS NULL OR organization_id = ANY (:organizationIds));

/* @name deleteRequestsByDomain */
DELETE FROM join_requests WHERE organization_id = :organizationId! AND domain = :domain! AND decided_at IS NULL RETURNING id;

/* @name deleteRequestsOfOrganization */
WITH notices AS (DELETE FROM join_notices WHERE organization_id = :organizationId!)
DELETE FROM join_requests WHERE organization_id = :organizationId RETURNING id;

/* @name deleteRequestsOfUser */
DELETE FROM join_requests WHERE user_id = :userId! RETURNING id;

/* Decided requests stay for the 90 days in which a denial counts, and a month longer. */
/* @name deleteOldRequests */
DELETE FROM join_requests WHERE id IN (
  SELECT id FROM join_requests WHERE expires_at < now() - interval '120 days' LIMIT :max!)
RETURNING id;

/* @name findRequest */
SELECT r.domain AS "domain!", r.email AS "email!", d.id AS domain_id
FROM open_join_requests r
JOIN organization_domains d ON d.organization_id = r.organization_id AND d.domain = r.domain
WHERE r.id = :id! AND r.organization_id = :organizationId!;

/* @name findRequester */
SELECT user_id FROM join_requests WHERE id = :id! AND organization_id = :organizationId! AND decided_at IS NULL;

/* @name decideRequest */
UPDATE join_requests SET decided_at = now(), decision = :decision!, decided_by_id = :decidedById
WHERE id = :id! AND organization_id = :organizationId! AND decided_at IS NULL AND expires_at > now()
RETURNING user_id, domain;

/* @list joinRequests from open_join_requests r by id */
/* @columns */ r.id AS "id!", r.user_id AS "user_id!", u.email, u.first_name, u.last_name, r.domain AS "domain!", r.created_at AS "created_at!",
  r.expires_at AS "expires_at!"
/* @join */ JOIN users u ON u.id = r.user_id
/* @where */ r.organization_id = :organizationId!
/* @if search */ EXISTS (
    SELECT FROM users s WHERE s.id = r.user_id AND search_finds(search_text_of_person(s.first_name, s.last_name, s.email), :search))
/* @sort createdAt */ r.created_at;

/* The holders are told at most once an hour: no row if they were told before. */
/* @name takeNotice */
INSERT INTO join_notices (organization_id) VALUES (:organizationId!)
ON CONFLICT (organization_id) DO UPDATE SET told_at = now() WHERE join_notices.told_at < now() - interval '1 hour'
RETURNING organization_id;

/* @name exportJoinRequests */
SELECT r.id, o.name AS organization, r.domain, r.email, r.created_at, r.decided_at, r.decision
FROM join_requests r JOIN organizations o ON o.id = r.organization_id
WHERE r.user_id = :userId! AND (r.created_at, r.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY r.created_at, r.id LIMIT :limit!;
