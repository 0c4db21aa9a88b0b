-- The second factor of a sign-in, and the wrong passwords and codes that are counted. All rows are written under the
-- lock of their user (src/core/locks.ts). Whether the factor is on says users.two_factor_enabled_at alone.

-- The secret that an authenticator app holds too. Until its first code has come in it is only on offer.
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

-- Counted apart, so that somebody who knows a password cannot keep its owner from changing it.
CREATE TABLE failed_attempts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  place text NOT NULL CONSTRAINT failed_attempts_place_known CHECK (place IN ('SIGN_IN', 'PROFILE')),
  failed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX failed_attempts_user ON failed_attempts (user_id, place, failed_at);
CREATE INDEX failed_attempts_age ON failed_attempts (failed_at);
