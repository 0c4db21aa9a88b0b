/* Registered clients, approved apps, and the grants that end with them. Those of an organization are written under its lock. Clients of
   the operator have no organization. */

/* @list oauthClients from oauth_clients c by id */
/* @columns */ c.id, c.name, c.redirect_uris, c.is_confidential, c.is_enabled, c.organization_id, c.created_by_id, c.created_at,
  (SELECT u.email FROM users u WHERE u.id = c.created_by_id) AS "creator_email?",
  CASE WHEN c.previous_secret_ends_at > now() THEN c.previous_secret_ends_at END AS "previous_secret_ends_at?",
  (SELECT count(*)::int FROM oauth_grants g
   WHERE g.oauth_client_id = c.id AND g.ended_at IS NULL AND @connected(g)) AS "grant_count!"
/* @where */ (c.organization_id = :organizationId OR :organizationId::uuid IS NULL AND c.organization_id IS NULL) AND NOT c.is_deleted
/* @if search */ strpos(search_fold(c.name), search_fold(:search)) > 0
/* @sort createdAt */ c.created_at
/* @sort name */ search_fold(c.name) COLLATE natural_order
/* @find findOauthClient */ c.id = :id!;

/* @name countLiveOauthClients */
SELECT count(*)::int AS "count!" FROM oauth_clients WHERE (organization_id = :organizationId OR :organizationId::uuid IS NULL AND organization_id IS NULL) AND NOT is_deleted;

/* @name insertOauthClient */
INSERT INTO oauth_clients (organization_id, name, redirect_uris, is_confidential, secret_hash, created_by_id)
VALUES (:organizationId, :name!, :redirectUris!::text[], :isConfidential!, :secretHash, :createdById)
RETURNING id;

/* @name updateOauthClient */
UPDATE oauth_clients SET name = :name!, redirect_uris = :redirectUris!::text[], is_enabled = :isEnabled!, updated_at = now()
WHERE id = :id! AND (organization_id = :organizationId OR :organizationId::uuid IS NULL AND organization_id IS NULL) AND NOT is_deleted;

/* Gives a confidential client another secret. The one until now works during the overlap; a still older one ends. */
/* @name rotateOauthClientSecret */
UPDATE oauth_clients
SET previous_secret_hash = secret_hash, previous_secret_ends_at = now() + make_interval(secs => :overlapSeconds!::int),
  secret_hash = :secretHash!, updated_at = now()
WHERE id = :id! AND (organization_id = :organizationId OR :organizationId::uuid IS NULL AND organization_id IS NULL) AND is_confidential AND NOT is_deleted
RETURNING previous_secret_ends_at AS "ends_at!";

/* @name deleteOauthClient */
UPDATE oauth_clients SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE id = :id! AND (organization_id = :organizationId OR :organizationId::uuid IS NULL AND organization_id IS NULL) AND NOT is_deleted
RETURNING name;

/* Deletes the clients of a deleted organization. */
/* @name deleteClientsOfOrganization */
UPDATE oauth_clients SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE organization_id = :organizationId! AND NOT is_deleted;

/* Returns the grants of a client that have not ended, in every organization. */
/* @name listGrantsOfClient */
SELECT id FROM oauth_grants WHERE oauth_client_id = :clientId! AND ended_at IS NULL ORDER BY id;

/* Returns the grants in an organization that have not ended and that its policy does not cover: all of them, or those of one app, a host or
   a client id. What the operator blocks ends nothing, so :operator says nothing of it. */
/* @name listUncoveredGrants */
SELECT g.id FROM oauth_grants g
JOIN organizations o ON o.id = g.organization_id
LEFT JOIN oauth_clients c ON c.id = g.oauth_client_id
WHERE g.organization_id = :organizationId! AND g.ended_at IS NULL
  AND (:app::text IS NULL OR :app IN (g.client_id, g.client_host))
  AND NOT app_is_covered(g.organization_id, o.connected_apps, g.client_id, g.client_host, g.oauth_client_id, c.organization_id, :operator!::jsonb)
ORDER BY g.id;

/* @name listApprovedApps */
SELECT a.id, a.app, a.created_by_id, u.email AS "creator_email?", a.created_at
FROM oauth_approved_apps a LEFT JOIN users u ON u.id = a.created_by_id
WHERE a.organization_id = :organizationId!
ORDER BY a.app COLLATE "C";

/* @name countApprovedApps */
SELECT count(*)::int AS "count!" FROM oauth_approved_apps WHERE organization_id = :organizationId!;

/* Approves an app. Returns no row if it is approved already. */
/* @name insertApprovedApp */
INSERT INTO oauth_approved_apps (organization_id, app, created_by_id) VALUES (:organizationId!, :app!, :createdById)
ON CONFLICT ON CONSTRAINT oauth_approved_apps_unique DO NOTHING
RETURNING id, created_at;

/* @name deleteApprovedApp */
DELETE FROM oauth_approved_apps WHERE id = :id! AND organization_id = :organizationId!
RETURNING app;
