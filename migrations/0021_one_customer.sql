-- By which idempotency key the provider is asked for an organization's customer: another one after a failure, because
-- the provider repeats what came of a key.
ALTER TABLE organization_subscriptions ADD COLUMN customer_attempt integer NOT NULL DEFAULT 0;

-- The page of a ticket is a path on the client. What was taken before that was so, and could lead elsewhere, goes.
UPDATE tickets SET page_path = NULL WHERE page_path !~ '^/([^/\\]|$)';
