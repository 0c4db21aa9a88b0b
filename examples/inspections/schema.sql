-- The tables of both examples. An inspection is `pending`, `active`, `completed` or `refused`.
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS inspections (
  id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, unit_id TEXT, -- null: of the whole organization
  title TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', reason TEXT, assignee_id TEXT);
CREATE INDEX IF NOT EXISTS inspections_of_organization ON inspections (organization_id);

-- Calls of POST /api/product/changes that are not answered yet.
CREATE TABLE IF NOT EXISTS outbox (key TEXT PRIMARY KEY, inspection_id TEXT NOT NULL, call TEXT NOT NULL);

-- From the feed: its cursor; the names of people, '' if erased; deleted units, whose records belong to another one.
CREATE TABLE IF NOT EXISTS feed (cursor TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS moved (unit_id TEXT PRIMARY KEY, parent_id TEXT);

-- An inspection as it is now, also if a request with an old token named a unit that was deleted.
CREATE VIEW IF NOT EXISTS shown AS
  SELECT i.rowid AS number, i.organization_id, i.id, i.title, i.state, i.reason,
    iif(m.unit_id IS NULL, i.unit_id, m.parent_id) AS unitId, i.assignee_id AS assigneeId, p.name AS assigneeName
  FROM inspections i LEFT JOIN moved m ON m.unit_id = i.unit_id LEFT JOIN people p ON p.id = i.assignee_id;
