-- People who sign in, their sessions, and the single-use links that are mailed to them.

CREATE TYPE language AS ENUM ('EL', 'EN');

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Trimmed and lower-cased by the application, the one place that does so. A deleted account keeps its email.
  email text NOT NULL CONSTRAINT users_email_unique UNIQUE,
  first_name text NOT NULL,
  last_name text NOT NULL,
  -- argon2id in PHC form; null for an account that has never set a password.
  password_hash text,
  language language NOT NULL,
  email_verified_at timestamptz(3),
  two_factor_enabled_at timestamptz(3),
  is_platform_admin boolean NOT NULL DEFAULT false,
  last_organization_id uuid,
  -- Named at registration, founded when the email becomes verified.
  pending_organization_name text,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_platform_admin_is_verified CHECK (NOT is_platform_admin OR email_verified_at IS NOT NULL)
);

CREATE INDEX users_platform_admins ON users (created_at, id) WHERE is_platform_admin AND NOT is_deleted;

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

CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE UNIQUE INDEX refresh_tokens_one_live_per_session ON refresh_tokens (session_id) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_organization ON refresh_tokens (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

-- Two tables on purpose: a verification token can never be taken for a reset token.
CREATE TABLE email_verification_tokens (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  token_hash text NOT NULL CONSTRAINT email_verification_tokens_token_hash_unique UNIQUE,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX email_verification_tokens_user ON email_verification_tokens (user_id, created_at);
CREATE UNIQUE INDEX email_verification_tokens_one_live ON email_verification_tokens (user_id)
  WHERE used_at IS NULL AND NOT is_deleted;
CREATE INDEX email_verification_tokens_age ON email_verification_tokens (created_at);

CREATE TABLE password_reset_tokens (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  token_hash text NOT NULL CONSTRAINT password_reset_tokens_token_hash_unique UNIQUE,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX password_reset_tokens_user ON password_reset_tokens (user_id, created_at);
CREATE UNIQUE INDEX password_reset_tokens_one_live ON password_reset_tokens (user_id)
  WHERE used_at IS NULL AND NOT is_deleted;
CREATE INDEX password_reset_tokens_age ON password_reset_tokens (created_at);
