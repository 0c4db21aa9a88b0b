-- no-transaction
-- In the audit log the returned members of an organization are looked up together (rules 13.12). Queries that name the member use the
-- new index as they used the old one. Built without blocking writers.
DROP INDEX CONCURRENTLY IF EXISTS memberships_returned_to;
CREATE INDEX CONCURRENTLY memberships_returned_to ON memberships (organization_id, user_id, reached_from)
  WHERE reached_from IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS memberships_returned;
