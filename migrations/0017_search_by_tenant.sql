-- no-transaction
-- Fills the folded texts of the rows that were written before, then builds the indexes on them. Nothing here stops a writer: rows are
-- filled in batches of 2,000 that commit, indexes are built concurrently (docs/operate/deploy.md has the times). Every statement may run
-- again, so a run that was interrupted is repeated as a whole.

DO $$
DECLARE
  last uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    WITH batch AS (
      SELECT id, title FROM todos WHERE id > last ORDER BY id LIMIT 2000 FOR NO KEY UPDATE
    ), filled AS (
      UPDATE todos t SET search_title = search_fold(batch.title) FROM batch WHERE t.id = batch.id AND t.search_title = ''
    )
    SELECT max(id::text)::uuid INTO last FROM batch;
    COMMIT;
    EXIT WHEN last IS NULL;
  END LOOP;
END $$;

DO $$
DECLARE
  last uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    WITH batch AS (
      SELECT id, subject FROM tickets WHERE id > last ORDER BY id LIMIT 2000 FOR NO KEY UPDATE
    ), filled AS (
      UPDATE tickets t SET search_subject = search_fold(batch.subject) FROM batch WHERE t.id = batch.id AND t.search_subject = ''
    )
    SELECT max(id::text)::uuid INTO last FROM batch;
    COMMIT;
    EXIT WHEN last IS NULL;
  END LOOP;
END $$;

DO $$
DECLARE
  last uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    WITH batch AS (
      SELECT id, email FROM user_invitations WHERE id > last ORDER BY id LIMIT 2000 FOR NO KEY UPDATE
    ), filled AS (
      UPDATE user_invitations i SET search_email = search_fold(batch.email) FROM batch WHERE i.id = batch.id AND i.search_email = ''
    )
    SELECT max(id::text)::uuid INTO last FROM batch;
    COMMIT;
    EXIT WHEN last IS NULL;
  END LOOP;
END $$;

-- An index that has the organization and the text finds, orders and counts what a search matches among the rows of the organization.
-- The trigram indexes serve the platform's lists, and rare words in organizations of very many rows: the planner compares the number of
-- rows of the organization with the number of matches, which it knows from the statistics of the column.

DROP INDEX CONCURRENTLY IF EXISTS todos_by_title;
CREATE INDEX CONCURRENTLY todos_by_title ON todos (organization_id, search_title, id) INCLUDE (user_id, completed)
  WHERE NOT is_deleted;
DROP INDEX CONCURRENTLY IF EXISTS todos_search_title;
CREATE INDEX CONCURRENTLY todos_search_title ON todos USING gin (search_title COLLATE "default" gin_trgm_ops) WHERE NOT is_deleted;

DROP INDEX CONCURRENTLY IF EXISTS tickets_by_activity;
CREATE INDEX CONCURRENTLY tickets_by_activity ON tickets (organization_id, last_activity_at, id)
  INCLUDE (reporter_id, status, category, number, search_subject) WHERE NOT is_deleted;
DROP INDEX CONCURRENTLY IF EXISTS tickets_search_subject;
CREATE INDEX CONCURRENTLY tickets_search_subject ON tickets USING gin (search_subject gin_trgm_ops) WHERE NOT is_deleted;

DROP INDEX CONCURRENTLY IF EXISTS user_invitations_pending_search;
CREATE INDEX CONCURRENTLY user_invitations_pending_search ON user_invitations (organization_id, search_email, id)
  WHERE accepted_at IS NULL AND NOT is_deleted;

DROP INDEX CONCURRENTLY IF EXISTS memberships_by_last_name;
CREATE INDEX CONCURRENTLY memberships_by_last_name ON memberships (organization_id, sort_name, user_id) INCLUDE (search_text)
  WHERE NOT is_deleted;

ANALYZE todos, tickets, user_invitations;

DROP INDEX CONCURRENTLY IF EXISTS todos_organization_by_title;
DROP INDEX CONCURRENTLY IF EXISTS todos_search;
DROP INDEX CONCURRENTLY IF EXISTS tickets_organization;
DROP INDEX CONCURRENTLY IF EXISTS tickets_search;
DROP INDEX CONCURRENTLY IF EXISTS user_invitations_search;
DROP INDEX CONCURRENTLY IF EXISTS memberships_by_name;
