/* Connections of organizations to their OpenID providers. All writes of requests are under the organization's lock. */

/* Returns the live connections of an organization, or the one with this id. */
/* @name listConnections */
SELECT id AS "id!", name AS "name!", status AS "status!", issuer AS "issuer!", client_id AS "client_id!", client_secret, scopes AS "scopes!",
  client_secret_expires_at, claims AS "claims!", provisioning AS "provisioning!", second_factor AS "second_factor!", version AS "version!",
  tested_at, last_sign_in_at, last_error_code, last_error_at, last_error_detail, created_by_id, created_by_email, created_at AS "created_at!",
  assignments, domains, identity_count AS "identity_count!", mapping_count AS "mapping_count!"
FROM connections_with_details
WHERE organization_id = :organizationId! AND (:id::uuid IS NULL OR id = :id)
ORDER BY created_at, id;

/* @name countLiveConnections */
SELECT count(*)::int AS "count!" FROM sso_connections WHERE organization_id = :organizationId! AND NOT is_deleted;

/* @name insertConnection */
INSERT INTO sso_connections (organization_id, name, issuer, client_id, client_secret, scopes, client_secret_expires_at, claims,
  provisioning, second_factor, created_by_id)
VALUES (:organizationId!, :name!, :issuer!, :clientId!, :clientSecret, :scopes!, :clientSecretExpiresAt, :claims!,
  :provisioning!, :secondFactor!, :createdById)
RETURNING id;

/* Changes a connection. What was tested before counts no more if the provider or the claims changed. */
/* @name updateConnection */
UPDATE sso_connections SET name = :name!, status = :status!, issuer = :issuer!, client_id = :clientId!, client_secret = :clientSecret,
  scopes = :scopes!, client_secret_expires_at = :clientSecretExpiresAt, claims = :claims!, provisioning = :provisioning!,
  second_factor = :secondFactor!, version = version + 1, updated_at = now(),
  tested_version = CASE WHEN :isOther! THEN tested_version + 1 ELSE tested_version END,
  tested_at = CASE WHEN :isOther THEN NULL ELSE tested_at END,
  failures = CASE WHEN :isOther THEN 0 ELSE failures END,
  failing_since = CASE WHEN :isOther THEN NULL ELSE failing_since END,
  secret_warned_days = CASE WHEN client_secret_expires_at IS NOT DISTINCT FROM :clientSecretExpiresAt THEN secret_warned_days END
WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted
RETURNING id;

/* Whether the caller, or a setup link, has tested what the connection is now, within a day. */
/* @name isTested */
SELECT EXISTS (
  SELECT FROM sso_tests t JOIN sso_connections c ON c.id = t.connection_id AND t.tested_version = c.tested_version
  WHERE c.id = :id! AND t.passed_at > now() - interval '24 hours' AND (t.user_id = :userId! OR t.setup_link_id IS NOT NULL)
) AS "is_tested!";

/* @name replaceConnectionAssignments */
WITH given AS (
  SELECT role_id, unit_id FROM unnest(:roleIds!::uuid[], :unitIds!::uuid[]) AS given (role_id, unit_id)
), removed AS (
  DELETE FROM sso_connection_assignments a
  WHERE a.connection_id = :connectionId! AND NOT EXISTS (
    SELECT FROM given WHERE given.role_id = a.role_id AND given.unit_id IS NOT DISTINCT FROM a.unit_id)
)
INSERT INTO sso_connection_assignments (connection_id, organization_id, role_id, unit_id)
SELECT :connectionId!, :organizationId!, given.role_id, given.unit_id FROM given
ON CONFLICT ON CONSTRAINT sso_connection_assignments_unique DO NOTHING;

/* Whether people can sign in by no other connection than this one although the organization requires it, or has announced that. */
/* @name isNeeded */
SELECT EXISTS (
  SELECT FROM sso_connections c JOIN sign_on_policies p ON p.organization_id = c.organization_id
  WHERE c.id = :id! AND c.status = 'ENABLED'
    AND @asked_now_or_later(p)
    AND NOT EXISTS (
      SELECT FROM sso_connections other
      WHERE other.organization_id = c.organization_id AND other.id <> c.id AND other.status = 'ENABLED' AND NOT other.is_deleted)
) AS "is_needed!";

/* @name deleteConnections */
UPDATE sso_connections SET is_deleted = true, deleted_at = now(), client_secret = NULL, status = 'DISABLED', version = version + 1
WHERE organization_id = :organizationId! AND (:id::uuid IS NULL OR id = :id) AND NOT is_deleted
RETURNING id;

/* Ends what belongs to deleted connections: identities, proofs of sessions, mappings and domains. Tests stay for a day, because they count
   for their limit. */
/* @name endConnections */
WITH proofs AS (
  DELETE FROM session_proofs WHERE connection_id = ANY (:ids!::uuid[])
), challenges AS (
  DELETE FROM two_factor_challenges WHERE connection_id = ANY (:ids)
), identities AS (
  DELETE FROM sso_identities WHERE connection_id = ANY (:ids)
), mappings AS (
  DELETE FROM sso_mappings WHERE connection_id = ANY (:ids)
), defaults AS (
  DELETE FROM sso_connection_assignments WHERE connection_id = ANY (:ids)
)
UPDATE organization_domains SET connection_id = NULL WHERE connection_id = ANY (:ids);

/* Makes the roles that a connection gave roles by hand. Where the member has the same role by hand, that one stays. */
/* @name keepAssignments */
WITH had AS (
  SELECT a.id, a.membership_id, a.role_id, a.unit_id FROM membership_assignments a WHERE a.connection_id = :id!
), doubled AS (
  DELETE FROM membership_assignments a USING had, membership_assignments equal
  WHERE a.id = had.id AND equal.membership_id = had.membership_id AND equal.role_id = had.role_id
    AND equal.unit_id IS NOT DISTINCT FROM had.unit_id AND equal.source = 'manual'
  RETURNING a.id
), kept AS (
  UPDATE membership_assignments a SET source = 'manual', connection_id = NULL FROM had
  WHERE a.id = had.id AND NOT EXISTS (
    SELECT FROM membership_assignments equal
    WHERE equal.membership_id = had.membership_id AND equal.role_id = had.role_id
      AND equal.unit_id IS NOT DISTINCT FROM had.unit_id AND equal.source = 'manual')
)
SELECT count(*)::int AS "count!" FROM had;

/* @name findRoleOfSignOn */
SELECT EXISTS (SELECT FROM sso_mappings WHERE role_id = :roleId! AND organization_id = :organizationId!)
  OR EXISTS (SELECT FROM sso_connection_assignments WHERE role_id = :roleId AND organization_id = :organizationId) AS "is_in_use!";

/* @name findUnitOfSignOn */
SELECT EXISTS (SELECT FROM sso_mappings WHERE unit_id = :unitId!)
  OR EXISTS (SELECT FROM sso_connection_assignments WHERE unit_id = :unitId) AS "is_in_use!";

/* @list identitiesOfConnection from identities_of_members i by id */
/* @columns */ i.id AS "id!", i.user_id AS "user_id!", i.subject AS "subject!", i.email AS "email!", i.groups AS "groups!", i.linked_at AS "linked_at!",
  i.last_sign_in_at AS "last_sign_in_at!", u.email AS account_email, u.first_name, u.last_name
/* @join */ JOIN users u ON u.id = i.user_id
/* @where */ i.connection_id = :connectionId!
/* @if search */ search_finds(i.search_text, :search)
/* @sort email */ i.sort_email
/* @sort lastSignInAt */ i.last_sign_in_at;

/* Removes an identity with its proofs of sessions. */
/* @name deleteIdentity */
WITH removed AS (
  DELETE FROM sso_identities WHERE connection_id = :connectionId! AND user_id = :userId! RETURNING user_id, connection_id
), proofs AS (
  DELETE FROM session_proofs p USING removed WHERE p.connection_id = removed.connection_id AND p.user_id = removed.user_id
)
SELECT u.email, u.language, o.name AS organization_name
FROM removed JOIN users u ON u.id = removed.user_id
JOIN sso_connections c ON c.id = removed.connection_id JOIN organizations o ON o.id = c.organization_id;

/* @list groupsOfConnection from groups_of_connections g by connection_id, group_name */
/* @columns */ g.group_name AS "group_name!", g.people AS "people!", g.mappings AS "mappings!"
/* @where */ g.connection_id = :connectionId!
/* @if search */ search_finds(search_fold(g.group_name), :search)
/* @sort group */ g.group_name COLLATE "C"
/* @sort people */ g.people;

/* @list mappings from sso_mappings m by id */
/* @columns */ m.id, m.connection_id, m.group_name, m.role_id, r.name AS role_name, m.unit_id, u.name AS "unit_name?", m.created_at
/* @join */ JOIN roles r ON r.id = m.role_id LEFT JOIN units u ON u.id = m.unit_id
/* @where */ m.organization_id = :organizationId!
/* @if connectionIds */ m.connection_id = ANY (:connectionIds)
/* @sort createdAt */ m.created_at
/* @find findMapping */ m.id = :id!;

/* @name countMappingsOf */
SELECT count(*)::int AS "count!" FROM sso_mappings WHERE organization_id = :organizationId!;

/* Inserts a mapping; returns no row if it exists. */
/* @name insertMapping */
INSERT INTO sso_mappings (organization_id, connection_id, group_name, role_id, unit_id, created_by_id)
VALUES (:organizationId!, :connectionId!, :group!, :roleId!, :unitId, :createdById)
ON CONFLICT ON CONSTRAINT sso_mappings_unique DO NOTHING
RETURNING id;

/* @name deleteMapping */
DELETE FROM sso_mappings WHERE id = :id! AND organization_id = :organizationId! RETURNING id;

/* @name isLiveConnectionOf */
SELECT EXISTS (
  SELECT FROM sso_connections WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted) AS "is_live!";

/* Returns the people whom a mapping would give a role at their next sign-in, by the groups of the last one. */
/* @name listGains */
SELECT i.user_id AS "user_id!", u.email, count(*) OVER ()::int AS "total!",
  EXISTS (
    SELECT FROM memberships m JOIN membership_assignments a ON a.membership_id = m.id
    WHERE m.organization_id = i.organization_id AND m.user_id = i.user_id AND NOT m.is_deleted
      AND a.role_id = :roleId! AND a.unit_id IS NOT DISTINCT FROM :unitId::uuid) AS "holds_already!"
FROM identities_of_members i JOIN users u ON u.id = i.user_id
WHERE i.connection_id = :connectionId! AND i.groups @> ARRAY[:group!::text]
ORDER BY i.sort_email, i.user_id LIMIT :max!;

/* @name countConnectionsByStatus */
SELECT status, count(*)::int AS "count!" FROM sso_connections WHERE NOT is_deleted GROUP BY status;

/* Takes connections of which their administrators are told that the provider keeps failing, once a day. */
/* @name takeFailingConnections */
UPDATE sso_connections c SET warned_at = now()
FROM (
  SELECT id FROM sso_connections
  WHERE failures >= 5 AND NOT is_deleted AND status = 'ENABLED' AND (last_sign_in_at IS NULL OR last_sign_in_at < now() - interval '1 hour')
    AND last_error_code IN ('PROVIDER_ERROR', 'CLIENT_REFUSED')
    AND (warned_at IS NULL OR warned_at < now() - interval '1 day')
  ORDER BY failing_since LIMIT :max! FOR UPDATE SKIP LOCKED
) due
WHERE c.id = due.id
RETURNING c.id, c.organization_id, c.name, c.last_error_code AS "code!";

/* Takes connections whose secret expires within 30, 7 or 1 days, each of these once. */
/* @name takeExpiringSecrets */
UPDATE sso_connections c SET secret_warned_days = due.days
FROM (
  SELECT id, CASE WHEN client_secret_expires_at <= now() + interval '1 day' THEN 1
    WHEN client_secret_expires_at <= now() + interval '7 days' THEN 7 ELSE 30 END AS days
  FROM sso_connections
  WHERE client_secret_expires_at > now() AND client_secret_expires_at <= now() + interval '30 days' AND NOT is_deleted
    AND client_secret IS NOT NULL
    AND COALESCE(secret_warned_days, 31) > CASE WHEN client_secret_expires_at <= now() + interval '1 day' THEN 1
      WHEN client_secret_expires_at <= now() + interval '7 days' THEN 7 ELSE 30 END
  ORDER BY client_secret_expires_at LIMIT :max! FOR UPDATE SKIP LOCKED
) due
WHERE c.id = due.id
RETURNING c.id, c.organization_id, c.name, c.client_secret_expires_at AS "expires_at!";

/* @name listConnectionSecretsOfOtherKeys */
SELECT id, client_secret AS "client_secret!" FROM sso_connections
WHERE client_secret IS NOT NULL AND NOT starts_with(client_secret, :keyId!) AND id > :after! ORDER BY id LIMIT :max!;

/* @name replaceConnectionSecret */
UPDATE sso_connections SET client_secret = :secret! WHERE id = :id! AND client_secret = :before! RETURNING id;

/* @name exportIdentities */
SELECT i.id, o.id AS organization_id, o.name AS organization_name, c.id AS connection_id, c.name AS connection_name,
  i.subject, i.email, i.groups, i.linked_at, i.last_sign_in_at
FROM sso_identities i JOIN sso_connections c ON c.id = i.connection_id AND NOT c.is_deleted
JOIN organizations o ON o.id = c.organization_id AND NOT o.is_deleted
WHERE i.user_id = :userId! AND (i.linked_at, i.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY i.linked_at, i.id LIMIT :max!;

/* Returns the connections that were changed at a time or later. */
/* @name listConnectionsChangedSince */
SELECT o.name AS organization, c.name, c.status, c.issuer
FROM sso_connections c JOIN organizations o ON o.id = c.organization_id AND NOT o.is_deleted
WHERE NOT c.is_deleted AND c.updated_at >= :time! ORDER BY o.name, c.created_at;
