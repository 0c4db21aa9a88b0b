/* Domains of organizations. Changes by requests are made under the organization's lock. Checks of DNS happen outside of
   transactions; what they find is written under the lock, if the row is still in the state that was read. */

/* Returns the domains of an organization, or the one with this id. */
/* @name listDomains */
SELECT id AS "id!", domain AS "domain!", value AS "value!", status AS "status!", connection_id, join_mode AS "join_mode!", verified_at, checked_at,
  missing_since, created_at AS "created_at!", assignments
FROM domains_with_assignments
WHERE organization_id = :organizationId! AND (:id::uuid IS NULL OR id = :id)
ORDER BY domain COLLATE "C";

/* @name countDomains */
SELECT count(*)::int AS "count!", COALESCE(bool_or(domain = :domain!), false) AS "is_there!"
FROM organization_domains WHERE organization_id = :organizationId!;

/* @name insertDomain */
INSERT INTO organization_domains (organization_id, domain, value, created_by_id)
VALUES (:organizationId!, :domain!, :value!, :createdById) RETURNING id;

/* @name deleteDomain */
DELETE FROM organization_domains WHERE id = :id! AND organization_id = :organizationId! RETURNING id, domain;

/* @name deleteDomainsOfOrganization */
DELETE FROM organization_domains WHERE organization_id = :organizationId! RETURNING id;

/* @name updateDomain */
UPDATE organization_domains SET connection_id = :connectionId, join_mode = :join!
WHERE id = :id! AND organization_id = :organizationId! RETURNING id;

/* @name replaceDomainAssignments */
WITH given AS (
  SELECT role_id, unit_id FROM unnest(:roleIds!::uuid[], :unitIds!::uuid[]) AS given (role_id, unit_id)
), removed AS (
  DELETE FROM organization_domain_assignments a
  WHERE a.domain_id = :domainId! AND NOT EXISTS (
    SELECT FROM given WHERE given.role_id = a.role_id AND given.unit_id IS NOT DISTINCT FROM a.unit_id)
)
INSERT INTO organization_domain_assignments (domain_id, organization_id, role_id, unit_id)
SELECT :domainId!, :organizationId!, given.role_id, given.unit_id FROM given
ON CONFLICT ON CONSTRAINT organization_domain_assignments_unique DO NOTHING;

/* @name findJoinRole */
SELECT EXISTS (
  SELECT FROM organization_domain_assignments WHERE role_id = :roleId! AND organization_id = :organizationId!) AS "is_in_use!";

/* @name findJoinUnit */
SELECT EXISTS (SELECT FROM organization_domain_assignments WHERE unit_id = :unitId!) AS "is_in_use!";

/* Takes domains of which DNS is to be asked, so that no other instance asks too: new ones every ten minutes for a week,
   the others once a day. */
/* @name takeDomainsToCheck */
UPDATE organization_domains taken SET asked_until = now() + make_interval(mins => 5)
FROM (
  SELECT d.id FROM organization_domains d
  WHERE (d.status = 'PENDING' AND (d.checked_at IS NULL OR d.checked_at < now() - interval '10 minutes') AND d.created_at > now() - interval '7 days'
      OR d.status <> 'PENDING' AND (d.checked_at IS NULL OR d.checked_at < now() - interval '1 day'))
    AND (d.asked_until IS NULL OR d.asked_until < now())
    AND EXISTS (SELECT FROM organizations o WHERE o.id = d.organization_id AND NOT o.is_deleted)
  ORDER BY d.checked_at NULLS FIRST LIMIT :max! FOR UPDATE SKIP LOCKED
) due
WHERE taken.id = due.id
RETURNING taken.id, taken.organization_id, taken.domain, taken.value, taken.status;

/* No answer changes nothing: DNS is asked again in ten minutes. */
/* @name postponeDomainCheck */
UPDATE organization_domains SET asked_until = now() + interval '10 minutes' WHERE id = :id! RETURNING id;

/* Whether another organization has verified the name. */
/* @name isDomainTaken */
SELECT EXISTS (
  SELECT FROM organization_domains WHERE domain = :domain! AND status = 'VERIFIED' AND organization_id <> :organizationId!) AS "is_taken!";

/* Writes that the record is present. Returns the status from before; no row if the status has changed since it was read. */
/* @name markDomainPresent */
UPDATE organization_domains d
SET status = 'VERIFIED', verified_at = CASE WHEN d.status = 'VERIFIED' THEN d.verified_at ELSE now() END,
  checked_at = now(), asked_until = NULL, missing_since = NULL, absent_count = 0, notified_stage = 0
WHERE d.id = :id! AND d.organization_id = :organizationId! AND d.status = :status!
RETURNING d.id;

/* Writes that the record is present, of a domain that another organization has verified: it stays as it is. */
/* @name markDomainTaken */
UPDATE organization_domains SET checked_at = now(), asked_until = NULL
WHERE id = :id! AND status = :status! AND status <> 'VERIFIED' RETURNING id;

/* Writes that the record is absent, and returns what follows: a verified domain lapses after two weeks in which at least
   ten answers said so; before, its organization is warned after one, seven and thirteen days. */
/* @name markDomainAbsent */
UPDATE organization_domains d
SET checked_at = now(), asked_until = NULL,
  missing_since = CASE WHEN d.status = 'VERIFIED' THEN COALESCE(d.missing_since, now()) ELSE d.missing_since END,
  absent_count = CASE WHEN d.status = 'VERIFIED' THEN d.absent_count + 1 ELSE d.absent_count END,
  notified_stage = CASE
    WHEN d.missing_since <= now() - interval '13 days' THEN 3
    WHEN d.missing_since <= now() - interval '7 days' THEN 2
    WHEN d.missing_since <= now() - interval '1 day' THEN 1
    ELSE 0
  END,
  status = CASE
    WHEN d.status = 'VERIFIED' AND d.missing_since <= now() - interval '14 days' AND d.absent_count >= 9 THEN 'LAPSED'
    ELSE d.status
  END
WHERE d.id = :id! AND d.status = :status!
RETURNING new.id AS "id!", new.organization_id AS "organization_id!", new.domain AS "domain!", new.missing_since,
  (old.status = 'VERIFIED' AND new.status = 'LAPSED') AS "has_lapsed!",
  (new.status = 'VERIFIED' AND new.notified_stage > old.notified_stage) AS "is_warned!";

/* @name countMissingDomains */
SELECT count(*)::int AS "count!" FROM organization_domains WHERE missing_since IS NOT NULL AND status = 'VERIFIED';

/* @name checkAllDomains */
WITH checked AS (
  UPDATE organization_domains SET checked_at = NULL, asked_until = NULL
  WHERE checked_at IS NOT NULL OR asked_until IS NOT NULL RETURNING 1)
SELECT count(*)::int AS "count!" FROM checked;

/* @name isLiveConnection */
SELECT EXISTS (
  SELECT FROM sso_connections WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted) AS "is_live!";

/* Whether the organization requires its own sign-in of somebody, or has announced that it will. */
/* @name isSignOnRequired */
SELECT EXISTS (
  SELECT FROM sign_on_policies p
  WHERE p.organization_id = :organizationId!
    AND @asked_now_or_later(p)) AS "is_required!";
