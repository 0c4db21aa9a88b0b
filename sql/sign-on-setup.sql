/* Links by which people who are no members set up domains or a connection. Written under the organization's lock. */

/* @list setupLinks from sign_on_setup_links l by id */
/* @columns */ l.id, l.email, l.what, l.created_by_id, creator.email AS "created_by_email?", l.created_at, l.expires_at, l.finished_at,
  CASE WHEN l.finished_at IS NOT NULL THEN 'FINISHED' WHEN l.revoked_at IS NOT NULL THEN 'REVOKED'
    WHEN l.expires_at <= now() THEN 'EXPIRED' ELSE 'OPEN' END AS "status!"
/* @join */ LEFT JOIN users creator ON creator.id = l.created_by_id AND NOT creator.is_deleted
/* @where */ l.organization_id = :organizationId!
/* @sort createdAt */ l.created_at
/* @find findSetupLinkOf */ l.id = :id!;

/* Returns how many links work, and how many were made within a day, with the seconds until the oldest of these leaves the day. */
/* @name countRecentSetupLinks */
SELECT count(*) FILTER (WHERE finished_at IS NULL AND revoked_at IS NULL AND expires_at > now())::int AS "open!",
  count(*) FILTER (WHERE created_at > now() - interval '1 day')::int AS "recent!",
  COALESCE(ceil(extract(epoch FROM min(created_at) FILTER (WHERE created_at > now() - interval '1 day') + interval '1 day' - now())), 0)::int AS "seconds!"
FROM sign_on_setup_links
WHERE organization_id = :organizationId! AND created_at > now() - interval '8 days';

/* @name insertSetupLink */
INSERT INTO sign_on_setup_links (organization_id, email, what, token_hash, created_by_id, expires_at)
VALUES (:organizationId!, :email!, :what!, :tokenHash!, :createdById!, now() + interval '7 days')
RETURNING id, (SELECT u.language FROM users u WHERE u.id = created_by_id) AS "created_by_language!";

/* @name revokeSetupLink */
UPDATE sign_on_setup_links SET revoked_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND finished_at IS NULL AND revoked_at IS NULL AND expires_at > now()
RETURNING email;

/* Revokes the links of organizations; of one creator, if the creator's memberships end. */
/* @name revokeSetupLinksOf */
UPDATE sign_on_setup_links SET revoked_at = now()
WHERE organization_id = ANY (:organizationIds!::uuid[]) AND (:createdById::uuid IS NULL OR created_by_id = :createdById)
  AND finished_at IS NULL AND revoked_at IS NULL AND expires_at > now();

/* @name finishSetupLink */
UPDATE sign_on_setup_links SET finished_at = now()
WHERE id = :id! AND finished_at IS NULL AND revoked_at IS NULL AND expires_at > now()
RETURNING id;

/* Returns what a setup page shows: until when the link works, and the newest draft, whose redirect address the provider needs. */
/* @name findSetup */
SELECT l.expires_at, (
  SELECT c.id FROM sso_connections c
  WHERE c.organization_id = l.organization_id AND c.status = 'DRAFT' AND NOT c.is_deleted
  ORDER BY c.created_at DESC, c.id DESC LIMIT 1) AS "connection_id?"
FROM sign_on_setup_links l WHERE l.id = :id!;

/* Links are kept for 90 days after their end. Tests by them are deleted within days. */
/* @name deleteOldSetupLinks */
DELETE FROM sign_on_setup_links WHERE id IN (
  SELECT l.id FROM sign_on_setup_links l
  WHERE l.expires_at < now() - interval '90 days'
    AND NOT EXISTS (SELECT FROM sso_tests t WHERE t.setup_link_id = l.id)
  ORDER BY l.expires_at LIMIT :max!)
RETURNING id;

/* @name endSetupLinksMadeBefore */
WITH ended AS (
  UPDATE sign_on_setup_links SET revoked_at = now()
  WHERE finished_at IS NULL AND revoked_at IS NULL AND expires_at > now() AND created_at <= :time! RETURNING id)
SELECT count(*)::int AS "count!" FROM ended;

/* Returns a setup link that works: neither finished, revoked nor expired, and its creator is still a member. */
/* @name findSetupLink */
SELECT l.id, l.organization_id, l.email, l.what, o.name AS organization_name, o.slug AS organization_slug,
  (o.status = 'SUSPENDED') AS "is_suspended!"
FROM sign_on_setup_links l
JOIN organizations o ON o.id = l.organization_id AND NOT o.is_deleted
JOIN memberships m ON m.organization_id = l.organization_id AND m.user_id = l.created_by_id AND NOT m.is_deleted
WHERE l.token_hash = :tokenHash! AND l.finished_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > now();
