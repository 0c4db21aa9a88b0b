/* Transaction-level advisory locks, always taken in this order: platform, organization, email,
   user (src/core/locks.ts). Two names that share a hash only wait for each other without need. */

/* @name lockUser */
SELECT pg_advisory_xact_lock(hashtextextended('user:' || :userId!::uuid, 0)) IS NULL AS "locked";

/* @name lockEmail */
SELECT pg_advisory_xact_lock(hashtextextended('email:' || :email!, 0)) IS NULL AS "locked";

/* @name lockOrganization */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || :organizationId!::uuid, 0)) IS NULL AS "locked";

/* @name lockOrganizations */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || id, 0)) IS NULL AS "locked"
FROM (SELECT id FROM unnest(:organizationIds!::uuid[]) AS given (id) ORDER BY id OFFSET 0) in_order;

/* @name lockPlatform */
SELECT pg_advisory_xact_lock(hashtextextended('platform', 0)) IS NULL AS "locked";

/* @name lockAttempts */
SELECT pg_advisory_xact_lock(hashtextextended('attempts:' || :userId!::uuid, 0)) IS NULL AS "locked";

/* The organization's of an invitation, which never changes; no row where the token is none's. */
/* @name lockOrganizationOfInvitation */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || organization_id, 0)) IS NULL AS "locked"
FROM user_invitations WHERE token_hash = :tokenHash!;

/* The same, shared, and then the user's: other acceptances run in parallel, and changes that they depend on wait. */
/* @name lockForAcceptance */
WITH organization AS MATERIALIZED (
  SELECT pg_advisory_xact_lock_shared(hashtextextended('organization:' || organization_id, 0)) IS NULL AS locked
  FROM user_invitations WHERE token_hash = :tokenHash!
)
SELECT pg_advisory_xact_lock(hashtextextended('user:' || :userId!::uuid, 0)) IS NULL AS "locked" FROM organization;
