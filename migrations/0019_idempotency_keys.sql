-- Requests with an `Idempotency-Key` that took effect, with their responses, and requests in several steps that are in progress.
-- A row is inserted in the transaction of its change, under the lock of the caller and the key (sql/idempotency.sql).
CREATE TABLE idempotency_keys (
  -- A user or a service account, so no foreign key.
  caller_id uuid NOT NULL,
  -- SHA-256 of the key, in hexadecimal. The key itself is never stored.
  key_hash text NOT NULL,
  -- SHA-256 of the request, in hexadecimal.
  fingerprint text NOT NULL,
  organization_id uuid,
  -- The response. Without a status, the request is still in progress.
  status smallint,
  body text,
  -- Until when a request in several steps has the key; a crash frees the key at that time.
  claimed_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller_id, key_hash),
  CONSTRAINT idempotency_keys_answered_or_claimed CHECK ((status IS NULL) = (claimed_until IS NOT NULL))
);

CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- Stored responses are deleted with their organization.
CREATE INDEX idempotency_keys_organization ON idempotency_keys (organization_id) WHERE organization_id IS NOT NULL;
