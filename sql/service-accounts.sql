/* Service accounts and their API keys. All writes are under the organization's lock, except of the times of last
   use. */

/* Lists service accounts. With `units`, returns only those whose assignments are all in these units. Names are
   searched with strpos, because for LIKE the planner may read an index of the names in all organizations. */
/* @list serviceAccounts from live_service_accounts s by id */
/* @columns */ s.id AS "id!", s.name AS "name!", s.description AS "description!", s.is_enabled AS "is_enabled!", s.last_used_at,
  s.created_at AS "created_at!", s.created_by_id, s.creator_email, s.assignments, s.active_key_count AS "key_count!"
/* @where */ s.organization_id = :organizationId!
/* @if units */ s.unit_ids <@ :units
/* @if search */ strpos(search_fold(s.name), search_fold(:search)) > 0
/* @sort createdAt */ s.created_at
/* @sort lastUsedAt nulls first */ s.last_used_at
/* @sort name */ search_fold(s.name) COLLATE natural_order
/* @find findServiceAccount if units */ s.id = :id!
/* @find listServiceAccountsById */ s.id = ANY (:ids!) ORDER BY s.id;

/* Returns the units of a service account's assignments, to compare them with the caller's reach. */
/* @name listUnitsOfServiceAccount */
SELECT DISTINCT a.unit_id AS "unit_id!" FROM service_account_assignments a
WHERE a.service_account_id = :id! AND a.organization_id = :organizationId! AND a.unit_id IS NOT NULL;

/* @name countLiveServiceAccounts */
SELECT count(*)::int AS "count!" FROM service_accounts WHERE organization_id = :organizationId! AND NOT is_deleted;

/* @name isServiceAccountNameTaken */
SELECT EXISTS (
  SELECT FROM service_accounts
  WHERE organization_id = :organizationId! AND case_folded(name) = case_folded(:name!)
    AND id IS DISTINCT FROM :exceptId::uuid AND NOT is_deleted
) AS "is_taken!";

/* @name insertServiceAccount */
INSERT INTO service_accounts (organization_id, name, description, created_by_id)
VALUES (:organizationId!, :name!, :description!, :createdById!)
RETURNING id;

/* @name updateServiceAccount */
UPDATE service_accounts
SET name = :name!, description = :description!, is_enabled = :isEnabled!, updated_at = now()
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted
RETURNING id;

/* Returns the assignments of a service account with names and permissions, so that the service can check that the
   caller has these permissions. */
/* @name listServiceAccountAssignments */
SELECT a.id, a.role_id, r.name AS role_name, r.permissions, a.unit_id, u.name AS "unit_name?"
FROM service_account_assignments a
JOIN roles r ON r.id = a.role_id
LEFT JOIN units u ON u.id = a.unit_id
WHERE a.service_account_id = :id! AND a.organization_id = :organizationId!
ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.id;

/* Inserts assignments of a service account, and remembers their units for the audit log. */
/* @name insertServiceAccountAssignments */
WITH given AS (
  SELECT role_id, unit_id FROM unnest(:roleIds!::uuid[], :unitIds!::uuid[]) AS given (role_id, unit_id)
), named AS (
  INSERT INTO service_account_units (service_account_id, unit_id)
  SELECT DISTINCT :serviceAccountId!::uuid, given.unit_id FROM given WHERE given.unit_id IS NOT NULL
  ON CONFLICT DO NOTHING
)
INSERT INTO service_account_assignments (service_account_id, role_id, unit_id, organization_id)
SELECT :serviceAccountId, given.role_id, given.unit_id, :organizationId! FROM given
ON CONFLICT ON CONSTRAINT service_account_assignments_unique DO NOTHING;

/* @name deleteServiceAccountAssignments */
DELETE FROM service_account_assignments WHERE id = ANY (:ids!::uuid[]) AND organization_id = :organizationId!;

/* Deletes a service account, or all of an organization, with assignments, and ends their keys and pending invitations. */
/* @name deleteServiceAccounts */
WITH ended AS (
  UPDATE service_accounts SET is_deleted = true, deleted_at = now(), updated_at = now()
  WHERE organization_id = :organizationId! AND (:ofAll!::boolean OR id = :id) AND NOT is_deleted
  RETURNING id
), unassigned AS (
  DELETE FROM service_account_assignments WHERE service_account_id IN (SELECT id FROM ended)
), revoked AS (
  UPDATE api_keys SET revoked_at = now() WHERE service_account_id IN (SELECT id FROM ended) AND revoked_at IS NULL
), expired AS (
  UPDATE user_invitations SET expires_at = now()
  WHERE invited_by_account_id IN (SELECT id FROM ended) AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()
)
SELECT id FROM ended;

/* @name disableServiceAccountsOfOrganization */
UPDATE service_accounts SET is_enabled = false, updated_at = now()
WHERE organization_id = :organizationId! AND is_enabled AND NOT is_deleted
RETURNING id;

/* @list apiKeys from api_keys_with_status k by id */
/* @columns */ k.id AS "id!", k.name AS "name!", k.start AS "start!", k.status AS "status!", k.allowed_ips, k.expires_at, k.last_used_at, k.last_used_ip,
  k.replaced_by_id, k.created_by_id, k.creator_email, k.is_creator_member AS "is_creator_member!", k.created_at AS "created_at!", k.revoked_at
/* @where */ k.service_account_id = :serviceAccountId! AND k.organization_id = :organizationId!
/* @if status */ k.status = ANY (:status)
/* @sort createdAt */ k.created_at
/* @sort lastUsedAt nulls first */ k.last_used_at
/* @sort expiresAt */ k.expires_at
/* @find findApiKey */ k.id = :id!;

/* @name countActiveApiKeys */
SELECT count(*)::int AS "count!" FROM api_keys_with_status
WHERE service_account_id = :serviceAccountId! AND organization_id = :organizationId! AND status = 'ACTIVE';

/* @name insertApiKey */
INSERT INTO api_keys (service_account_id, organization_id, name, token_hash, start, allowed_ips, expires_at, created_by_id)
VALUES (:serviceAccountId!, :organizationId!, :name!, :tokenHash!, :start!, :allowedIps::text[]::cidr[], :expiresAt, :createdById!)
RETURNING id, expires_at;

/* @name updateApiKey */
UPDATE api_keys SET name = :name!, allowed_ips = :allowedIps::text[]::cidr[]
WHERE id = :id! AND service_account_id = :serviceAccountId! AND organization_id = :organizationId! AND revoked_at IS NULL
RETURNING id;

/* Ends a key after the overlap, or at its own expiry if that is earlier, and ends its own predecessor now. Returns no
   row if the key is no longer active. */
/* @name replaceApiKey */
WITH predecessor AS (
  UPDATE api_keys SET expires_at = now()
  WHERE replaced_by_id = :id! AND service_account_id = :serviceAccountId! AND organization_id = :organizationId!
    AND revoked_at IS NULL AND expires_at > now()
)
UPDATE api_keys
SET replaced_by_id = :successorId!, expires_at = LEAST(expires_at, now() + make_interval(secs => :overlapSeconds!::int))
WHERE id = :id AND service_account_id = :serviceAccountId AND organization_id = :organizationId
  AND revoked_at IS NULL AND replaced_by_id IS NULL AND (expires_at IS NULL OR expires_at > now())
RETURNING expires_at AS "ends_at!";

/* Revokes an API key. Returns no row if the key has expired or was revoked already. */
/* @name revokeApiKey */
UPDATE api_keys SET revoked_at = now()
WHERE id = :id! AND service_account_id = :serviceAccountId! AND organization_id = :organizationId!
  AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
RETURNING start;

/* @name revokeReportedApiKey */
UPDATE api_keys k SET revoked_at = now()
WHERE k.token_hash = :tokenHash! AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
RETURNING k.id, k.service_account_id, k.organization_id, k.name, k.start, k.expires_at;

/* Returns keys that end within seven days, and marks them as notified. Excludes keys that were replaced by a
   rotation, and keys of disabled accounts. */
/* @name takeExpiringApiKeys */
WITH due AS (
  SELECT k.id FROM api_keys k
  JOIN service_accounts s ON s.id = k.service_account_id AND s.is_enabled AND NOT s.is_deleted
  JOIN organizations o ON o.id = k.organization_id AND NOT o.is_deleted
  WHERE k.revoked_at IS NULL AND k.expires_at > now() AND k.expires_at <= now() + interval '7 days'
    AND k.replaced_by_id IS NULL AND k.expiry_notified_at IS NULL
  ORDER BY k.expires_at LIMIT :max! FOR UPDATE OF k SKIP LOCKED
)
UPDATE api_keys k SET expiry_notified_at = now() FROM due WHERE k.id = due.id
RETURNING k.id, k.service_account_id, k.organization_id, k.name, k.start, k.expires_at;

/* Deletes rows of keys 90 days after the key ended. */
/* @name deleteEndedApiKeys */
DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE revoked_at < now() - interval '90 days'
  UNION
  SELECT id FROM api_keys WHERE revoked_at IS NULL AND expires_at < now() - interval '90 days' LIMIT :max!)
RETURNING id;

/* Allows one mail in :seconds about the keys of a service account. Returns no row if one was sent within that time. */
/* @name reserveAccountMail */
UPDATE service_accounts SET mailed_at = now()
WHERE id = :id! AND (mailed_at IS NULL OR mailed_at <= now() - make_interval(secs => :seconds!))
RETURNING id;

/* Returns how much the number of service accounts changed per day. */
/* @name listAccountChanges */
SELECT * FROM @changes_per_day(service_accounts);

/* Finds an API key by its digest, with the grants of its service account, in the form of
   listActiveOrganizationGrants in access.sql: one row per grant, and at least one row if the key exists. The columns of the grants
   are null if the service account is disabled or deleted, or if its organization is deleted. Also records the time of
   use, at most every ten minutes. A row that another transaction has locked is not updated. */
/* @name verifyApiKey */
WITH used AS (
  UPDATE api_keys SET last_used_at = now(), last_used_ip = host(:ip::inet)
  WHERE id = (
    SELECT k.id FROM api_keys k
    JOIN service_accounts s ON s.id = k.service_account_id AND s.is_enabled AND NOT s.is_deleted
    JOIN organizations o ON o.id = k.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
    WHERE k.token_hash = :tokenHash! AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      AND (k.last_used_at IS NULL OR k.last_used_at < now() - interval '10 minutes')
      AND (k.allowed_ips IS NULL OR :ip::inet <<= ANY (k.allowed_ips))
    FOR NO KEY UPDATE OF k SKIP LOCKED)
  RETURNING service_account_id
), account_used AS (
  UPDATE service_accounts SET last_used_at = now()
  WHERE id = (SELECT s.id FROM used JOIN service_accounts s ON s.id = used.service_account_id FOR NO KEY UPDATE OF s SKIP LOCKED)
)
SELECT k.id AS key_id, k.service_account_id, k.organization_id AS organization_of_key, k.created_by_id, k.start,
  k.revoked_at IS NOT NULL AS "is_revoked!", COALESCE(k.expires_at <= now(), false) AS "is_expired!",
  COALESCE(k.allowed_ips IS NULL OR :ip::inet <<= ANY (k.allowed_ips), false) AS "is_address_allowed!",
  o.status AS organization_status,
  granted.organization_id AS "organization_id?", granted.organization_name AS "organization_name?",
  granted.organization_slug AS "organization_slug?", granted.role_name AS "role_name?", granted.permissions AS "permissions?",
  granted.unit_id AS "unit_id?"
FROM api_keys k
JOIN organizations o ON o.id = k.organization_id
LEFT JOIN LATERAL service_account_grants(k.service_account_id) granted ON true
WHERE k.token_hash = :tokenHash
ORDER BY granted.role_name, granted.assignment_id;

/* Starts an hour in which further rejections of this key are not audited. Returns no row if such an hour is running
   already. */
/* @name beginHourOfRefusals */
UPDATE api_keys SET refusal_audited_at = now()
WHERE id = :keyId! AND (refusal_audited_at IS NULL OR refusal_audited_at < now() - interval '1 hour')
RETURNING id;
