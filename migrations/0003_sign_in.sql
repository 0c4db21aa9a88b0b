-- Sessions, failed sign-ins, the second factor and linked identities. Rows of a user are written under the lock of that user
-- (src/core/locks.ts). Only users.two_factor_enabled_at says whether the second factor is on.

-- One row for each refresh token ever handed out; the rows of one session share session_id.
-- Rows are written under the lock of their user (src/core/locks.ts).
CREATE TABLE refresh_tokens (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  session_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the token, in hexadecimal. The token itself is never stored.
  token_hash text NOT NULL CONSTRAINT refresh_tokens_token_hash_unique UNIQUE,
  organization_id uuid,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  -- The row that the rotation which revoked this one made. No foreign key: rows are only ever deleted
  -- together with the rest of their session, or long after they expired.
  replaced_by_id uuid CONSTRAINT refresh_tokens_one_successor UNIQUE,
  session_started_at timestamptz(3) NOT NULL DEFAULT now(),
  ip text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT refresh_tokens_replaced_when_revoked CHECK (replaced_by_id IS NULL OR revoked_at IS NOT NULL)
);

CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE UNIQUE INDEX refresh_tokens_one_live_per_session ON refresh_tokens (session_id) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_organization ON refresh_tokens (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

-- A sign-in finds what has expired, and the sessions beyond the cap, without reading all tokens that the user ever had.
CREATE INDEX refresh_tokens_user_expiry ON refresh_tokens (user_id, expires_at);
CREATE INDEX refresh_tokens_user_live ON refresh_tokens (user_id, created_at DESC, id DESC) WHERE revoked_at IS NULL;

-- Failed sign-ins by email in the current hour, whether or not an account has that email: a limit on accounts only would tell which
-- emails have one. The table stores a digest, so no address that was merely typed is kept.
CREATE TABLE sign_in_failures (
  email_digest text PRIMARY KEY,
  failures integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  -- From where the password was reset: the owner's address before the first sign-in with the new one.
  known_address text,
  -- How many of the failures came from each address.
  failures_by_address jsonb NOT NULL DEFAULT '{}',
  -- When a sign-in was first refused in this hour.
  refused_at timestamptz(3)
);

CREATE INDEX sign_in_failures_started ON sign_in_failures (started_at);

-- Counted apart, so that somebody who knows a password cannot keep its owner from changing it.
CREATE TABLE failed_attempts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  place text NOT NULL CONSTRAINT failed_attempts_place_known CHECK (place IN ('SIGN_IN', 'PROFILE')),
  failed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX failed_attempts_user ON failed_attempts (user_id, place, failed_at);
CREATE INDEX failed_attempts_age ON failed_attempts (failed_at);

-- When a session last proved its identity again after its sign-in. Without a foreign key, because a session is several rows.

CREATE TABLE reauthentications (
  session_id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  reauthenticated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX reauthentications_time ON reauthentications (reauthenticated_at);

-- The secret that an authenticator app holds too. It is only an offer until its first code was verified.
CREATE TABLE two_factor_secrets (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  -- Encrypted with TWO_FACTOR_ENCRYPTION_KEY; begins with the name of that key.
  sealed_secret text NOT NULL,
  -- The period of 30 seconds whose code was taken last: that one and all before it are used up.
  last_step bigint,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE two_factor_recovery_codes (
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the code, in hexadecimal. No key is needed to check it, so it works when the one above is lost.
  code_hash text NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT two_factor_recovery_codes_once PRIMARY KEY (user_id, code_hash)
);

-- A sign-in that waits for its second factor. Deleted when it gets it, and by whatever makes the first one doubtful.
CREATE TABLE two_factor_challenges (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the token, in hexadecimal.
  token_hash text NOT NULL CONSTRAINT two_factor_challenges_token_hash_unique UNIQUE,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX two_factor_challenges_user ON two_factor_challenges (user_id);
CREATE INDEX two_factor_challenges_expiry ON two_factor_challenges (expires_at);

CREATE TABLE user_identities (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  -- The key of the provider in the configuration when it was linked; routes name an identity by it.
  provider text NOT NULL,
  -- What the provider guarantees to be one person for ever. Emails change hands, so none is looked up by.
  issuer text NOT NULL,
  subject text NOT NULL,
  -- As the provider said when it was linked, for its owner to read; null where it said none.
  email text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_identities_of_one_account UNIQUE (issuer, subject),
  CONSTRAINT user_identities_one_of_a_provider UNIQUE (user_id, provider)
);
