-- no-transaction
-- For the deletion of old notifications. Rows are added in the order of their time, so that a BRIN index costs next to nothing.
DROP INDEX CONCURRENTLY IF EXISTS notifications_created;
CREATE INDEX CONCURRENTLY notifications_created ON notifications USING brin (created_at);
