-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS users_deleted;
CREATE INDEX CONCURRENTLY users_deleted ON users (deleted_at) WHERE is_deleted AND pseudonymised_at IS NULL;

-- Notifications that name somebody who joined.
DROP INDEX CONCURRENTLY IF EXISTS notifications_about_joiner;
CREATE INDEX CONCURRENTLY notifications_about_joiner ON notifications ((data ->> 'userId'))
  WHERE type = 'INVITATION_ACCEPTED';
