/* What people allowed apps. Grants are ended under the lock of their organization or of their person. */

/* Ends grants that have not ended, and returns them with whether they were connected. */
/* @name endGrants */
UPDATE oauth_grants SET ended_at = now(), end_reason = :reason!
WHERE id = ANY (:ids!::uuid[]) AND ended_at IS NULL
RETURNING id, @connected(oauth_grants) AS "was_connected!";

/* Returns grants with their person, whether they are usable or not, to tell of them. */
/* @name listGrantsById */
SELECT g.id, g.user_id, g.organization_id, o.name AS organization_name, g.unit_id, unit.name AS "unit_name?",
  g.client_id, g.client_name, g.client_host, g.oauth_client_id, c.organization_id AS "client_organization_id?", g.resource, g.scopes,
  g.redeemed_at, g.created_at, g.last_used_at, g.last_used_ip,
  LEAST(g.expires_at, GREATEST(g.last_used_at, g.redeemed_at) + interval '30 days') AS "ends_at!",
  u.email, u.first_name, u.last_name, u.language
FROM oauth_grants g
JOIN users u ON u.id = g.user_id
JOIN organizations o ON o.id = g.organization_id
LEFT JOIN units unit ON unit.id = g.unit_id
LEFT JOIN oauth_clients c ON c.id = g.oauth_client_id
WHERE g.id = ANY (:ids!::uuid[])
ORDER BY g.id;

/* Returns the live grants of a person; with organizations, only those in them. */
/* @name listLiveGrantsOfUser */
SELECT g.id FROM oauth_grants g
WHERE g.user_id = :userId! AND g.ended_at IS NULL
  AND (:organizationIds::uuid[] IS NULL OR g.organization_id = ANY (:organizationIds))
ORDER BY g.id;

/* Returns the connected apps of a person, newest first; with an organization, only those in it. */
/* @name listOwnConnectedApps */
SELECT g.id AS "id!", g.client_id AS "client_id!", g.client_name AS "client_name!", g.client_host, g.oauth_client_id, g.client_organization_id,
  g.resource AS "resource!", g.organization_id AS "organization_id!", g.organization_name AS "organization_name!", g.unit_id, g.unit_name,
  g.scopes AS "scopes!", g.created_at AS "created_at!", g.last_used_at, g.last_used_ip, g.ends_at AS "ends_at!"
FROM usable_oauth_grants g
WHERE g.user_id = :userId! AND (:organizationId::uuid IS NULL OR g.organization_id = :organizationId) AND app_works(g, :operator!::jsonb)
ORDER BY g.created_at DESC, g.id DESC;

/* Finds a grant of a person, whether it works or not. */
/* @name findOwnGrant */
SELECT g.id FROM oauth_grants g
WHERE g.id = :id! AND g.user_id = :userId! AND (:organizationId::uuid IS NULL OR g.organization_id = :organizationId);

/* Finds a grant in an organization, whether it works or not. With `units`, only that of a member whose roles and units are all in these
   units. */
/* @name findGrantInReach */
SELECT g.id FROM oauth_grants g
WHERE g.id = :id! AND g.organization_id = :organizationId! AND (:units::uuid[] IS NULL OR EXISTS (
  SELECT FROM memberships m
  WHERE m.user_id = g.user_id AND m.organization_id = g.organization_id AND NOT m.is_deleted AND @inside(m.id, :units)));

/* Returns the units in which the member of a grant has a link or an assignment. */
/* @name listUnitsOfGrant */
SELECT mu.unit_id AS "unit_id!" FROM usable_oauth_grants g JOIN unit_members mu ON mu.membership_id = g.membership_id
WHERE g.id = :id! AND g.organization_id = :organizationId!
UNION
SELECT a.unit_id FROM usable_oauth_grants g JOIN membership_assignments a ON a.membership_id = g.membership_id
WHERE g.id = :id AND g.organization_id = :organizationId AND a.unit_id IS NOT NULL;

/* Lists the connected apps of members. With `units`, only those of members whose roles and units are all in these units, as for a removal:
   an app may act in all of them. */
/* @list connectedApps from usable_oauth_grants g by id */
/* @columns */ g.id AS "id!", g.client_id AS "client_id!", g.client_name AS "client_name!", g.client_host, g.oauth_client_id,
  g.client_organization_id, g.resource AS "resource!", g.organization_id AS "organization_id!", g.organization_name AS "organization_name!",
  g.unit_id, g.unit_name, g.scopes AS "scopes!", g.created_at AS "created_at!", g.last_used_at, g.last_used_ip, g.ends_at AS "ends_at!",
  g.user_id AS "user_id!", u.email, u.first_name, u.last_name
/* @join */ JOIN users u ON u.id = g.user_id
/* @where */ g.organization_id = :organizationId! AND app_works(g, :operator!::jsonb)
/* @if units */ @inside(g.membership_id, :units)
/* @if client */ g.client_id = :client
/* @if userId */ g.user_id = ANY (:userId)
/* @if search */ (search_finds(search_fold(concat_ws(' ', g.client_name, g.client_host)), :search) OR (
    SELECT search_finds(m.search_text, :search) FROM memberships m WHERE m.id = g.membership_id))
/* @sort createdAt */ g.created_at
/* @sort lastUsedAt nulls first */ g.last_used_at
/* @sort expiresAt */ g.ends_at
/* @find findConnectedApp if units */ g.id = :id!;

/* Returns the grant of the app that calls. */
/* @name findGrantOfApp */
SELECT g.id AS "id!", g.client_id AS "client_id!", g.client_name AS "client_name!", g.client_host, g.oauth_client_id, g.client_organization_id,
  g.unit_id, g.unit_name, g.ends_at AS "ends_at!", u.id AS user_id, u.first_name, u.last_name
FROM usable_oauth_grants g
JOIN users u ON u.id = g.user_id
WHERE g.id = :id!;

/* Returns the live grants that people approved by these connections; with a user, only those of this person. */
/* @name listLiveGrantsByConnections */
SELECT g.id FROM oauth_grants g
WHERE g.connection_id = ANY (:connectionIds!::uuid[]) AND g.ended_at IS NULL AND (:userId::uuid IS NULL OR g.user_id = :userId)
ORDER BY g.id;

/* @name listLiveGrantsOfUnit */
SELECT g.id FROM oauth_grants g WHERE g.unit_id = :unitId! AND g.ended_at IS NULL ORDER BY g.id;

/* Ends the grants of a deleted organization; nobody reads events of it. */
/* @name endGrantsOfOrganization */
WITH ended AS (
  UPDATE oauth_grants SET ended_at = now(), end_reason = 'organization'
  WHERE organization_id = :organizationId! AND ended_at IS NULL
  RETURNING @connected(oauth_grants) AS was_connected)
SELECT count(*) FILTER (WHERE was_connected)::int AS "count!" FROM ended;

/* Deletes the grants of a deleted account, with their codes and tokens. */
/* @name deleteGrantsOfUser */
DELETE FROM oauth_grants WHERE user_id = :userId!;

/* Deletes grants that were not redeemed within a day, and those that ended or expired 90 days ago, with their codes and tokens. */
/* @name deleteOldGrants */
DELETE FROM oauth_grants WHERE id IN (
  SELECT id FROM oauth_grants WHERE ended_at < now() - interval '90 days'
  UNION ALL
  SELECT id FROM oauth_grants WHERE expires_at < now() - interval '90 days' AND ended_at IS NULL
  UNION ALL
  SELECT id FROM oauth_grants WHERE created_at < now() - interval '1 day' AND redeemed_at IS NULL AND ended_at IS NULL
  LIMIT :max!)
RETURNING id;

/* Ends the grants that began before a time, and deletes their codes and tokens: a rotation that a restore took back would look like theft.
   Those of grants that ended before go, too. */
/* @name endGrantsBegunBefore */
WITH codes AS (
  DELETE FROM oauth_codes c USING oauth_grants g WHERE g.id = c.grant_id AND g.created_at <= :time!
), tokens AS (
  DELETE FROM oauth_tokens t USING oauth_grants g WHERE g.id = t.grant_id AND g.created_at <= :time!
), ended AS (
  UPDATE oauth_grants SET ended_at = now(), end_reason = 'restored' WHERE ended_at IS NULL AND created_at <= :time!
  RETURNING @connected(oauth_grants) AS was_connected)
SELECT count(*) FILTER (WHERE was_connected)::int AS "count!" FROM ended;

/* @name exportConnectedApps */
SELECT g.id, g.organization_id, o.name AS organization_name, g.unit_id, unit.name AS "unit_name?", g.client_id, g.client_name, g.client_host,
  g.resource, g.scopes, g.created_at, g.redeemed_at, g.last_used_at, g.last_used_ip, g.expires_at, g.ended_at
FROM oauth_grants g
JOIN organizations o ON o.id = g.organization_id
LEFT JOIN units unit ON unit.id = g.unit_id
WHERE g.user_id = :userId! AND g.redeemed_at IS NOT NULL AND (g.created_at, g.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY g.created_at, g.id
LIMIT :max!;
