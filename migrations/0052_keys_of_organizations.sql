-- no-transaction
-- The keys that 0053 refers to. Built without blocking writers.
DROP INDEX CONCURRENTLY IF EXISTS memberships_of_organization;
CREATE UNIQUE INDEX CONCURRENTLY memberships_of_organization ON memberships (organization_id, id);
DROP INDEX CONCURRENTLY IF EXISTS units_of_organization;
CREATE UNIQUE INDEX CONCURRENTLY units_of_organization ON units (organization_id, id);
