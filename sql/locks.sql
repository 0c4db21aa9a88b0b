/* Transaction-level advisory locks, always taken in this order: platform, organization, email, user
   (src/core/locks.ts). If two names have the same hash, their transactions wait for each other without need; the
   result is still correct. */

/* @name lockUser */
SELECT pg_advisory_xact_lock(hashtextextended('user:' || :userId!::uuid, 0)) IS NULL AS "locked";

/* @name lockEmail */
SELECT pg_advisory_xact_lock(hashtextextended('email:' || :email!, 0)) IS NULL AS "locked";

/* @name lockOrganization */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || :organizationId!::uuid, 0)) IS NULL AS "locked";

/* The organization's lock in shared mode: several may have it at once, and changes under the lock wait for them. */
/* @name lockOrganizationShared */
SELECT pg_advisory_xact_lock_shared(hashtextextended('organization:' || :organizationId!::uuid, 0)) IS NULL AS "locked";

/* @name lockOrganizations */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || id, 0)) IS NULL AS "locked"
FROM (SELECT id FROM unnest(:organizationIds!::uuid[]) AS given (id) ORDER BY id OFFSET 0) in_order;

/* @name lockPlatform */
SELECT pg_advisory_xact_lock(hashtextextended('platform', 0)) IS NULL AS "locked";

/* @name lockAttempts */
SELECT pg_advisory_xact_lock(hashtextextended('attempts:' || :userId!::uuid, 0)) IS NULL AS "locked";

/* Locks the organization of the invitation with this token. Returns no row if there is no such invitation. */
/* @name lockOrganizationOfInvitation */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || organization_id, 0)) IS NULL AS "locked"
FROM user_invitations WHERE token_hash = :tokenHash!;

/* Locks the organization of the invitation with this token in shared mode, and then the user. Other acceptances run
   in parallel. Changes on which an acceptance depends wait for the lock. */
/* @name lockForAcceptance */
WITH organization AS MATERIALIZED (
  SELECT pg_advisory_xact_lock_shared(hashtextextended('organization:' || organization_id, 0)) IS NULL AS locked
  FROM user_invitations WHERE token_hash = :tokenHash!
)
SELECT pg_advisory_xact_lock(hashtextextended('user:' || :userId!::uuid, 0)) IS NULL AS "locked" FROM organization;

/* Locks the organization of the API key with this digest. Without such a key, returns no row and takes no lock. */
/* @name lockOrganizationOfKey */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || organization_id, 0)) IS NULL AS "locked"
FROM api_keys WHERE token_hash = :tokenHash!;
