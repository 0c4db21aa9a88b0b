/* Transaction-level advisory locks, always taken in this order: platform, organization, email, user
   (src/core/locks.ts). If two names have the same hash, their transactions wait for each other needlessly, but
   correctly. */

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

/* Locks the organization of an invitation. Returns no row if no invitation has this token. */
/* @name lockOrganizationOfInvitation */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || organization_id, 0)) IS NULL AS "locked"
FROM user_invitations WHERE token_hash = :tokenHash!;

/* Takes the organization's lock of an invitation in shared mode, and then the user's lock. Other acceptances run
   in parallel; changes that they depend on wait. */
/* @name lockForAcceptance */
WITH organization AS MATERIALIZED (
  SELECT pg_advisory_xact_lock_shared(hashtextextended('organization:' || organization_id, 0)) IS NULL AS locked
  FROM user_invitations WHERE token_hash = :tokenHash!
)
SELECT pg_advisory_xact_lock(hashtextextended('user:' || :userId!::uuid, 0)) IS NULL AS "locked" FROM organization;

/* Locks the organization of the key with this digest. No row, and no lock, if there is no such key. */
/* @name lockOrganizationOfKey */
SELECT pg_advisory_xact_lock(hashtextextended('organization:' || organization_id, 0)) IS NULL AS "locked"
FROM api_keys WHERE token_hash = :tokenHash!;
