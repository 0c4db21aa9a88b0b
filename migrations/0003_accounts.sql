-- Accounts of people, and the single-use links that are mailed to them.

CREATE TYPE language AS ENUM ('EL', 'EN');

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Trimmed and lower-cased by the application. A deleted account keeps its email.
  email text NOT NULL CONSTRAINT users_email_unique UNIQUE,
  first_name text NOT NULL,
  last_name text NOT NULL,
  -- argon2id in PHC form; null for an account that has never set a password.
  password_hash text,
  -- The digest of the password hash before and after a renewal of the hash. A proof of the same password that began with the old hash stays valid.
  password_renewal text,
  -- When the password was last changed; null if it never was. Renewing the hash of the same password does not count.
  password_set_at timestamptz(3),
  language language NOT NULL,
  email_verified_at timestamptz(3),
  two_factor_enabled_at timestamptz(3),
  is_platform_admin boolean NOT NULL DEFAULT false,
  last_organization_id uuid,
  -- Named at registration. The organization is created when the email is verified.
  pending_organization_name text,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  pseudonymised_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- A pseudonym replaces the email in audit events, so no other word of an event may be stored as an email.
  CONSTRAINT users_email_is_one CHECK (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  CONSTRAINT users_platform_admin_is_verified CHECK (NOT is_platform_admin OR email_verified_at IS NOT NULL)
);

CREATE INDEX users_platform_admins ON users (created_at, id) WHERE is_platform_admin AND NOT is_deleted;
CREATE INDEX users_newest ON users (created_at, id) WHERE NOT is_deleted;
CREATE INDEX users_by_email ON users (email COLLATE "C", id) WHERE NOT is_deleted;
CREATE INDEX users_last_name_order ON users (search_fold(last_name) COLLATE natural_order, id) WHERE NOT is_deleted;
CREATE INDEX users_search ON users USING gin (search_text_of_person(first_name, last_name, email) gin_trgm_ops)
  WHERE NOT is_deleted;

-- Includes emails of deleted accounts, which the audit log still shows.
CREATE INDEX users_email_search_all ON users USING gin (email gin_trgm_ops);

-- Accounts that still need a pseudonym.
CREATE INDEX users_deleted ON users (deleted_at) WHERE is_deleted AND pseudonymised_at IS NULL;

CREATE TRIGGER users_count_added AFTER INSERT ON users
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION whole_table_count_added();
CREATE TRIGGER users_count_changed AFTER DELETE OR UPDATE OF is_deleted ON users
FOR EACH ROW EXECUTE FUNCTION whole_table_count();

-- A pseudonym replaces the email of an account in events. A role that does not own the tables must therefore not choose that email:
-- it may neither change it, nor delete the account and insert it again.
CREATE FUNCTION users_keep_email() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'The email of an account is not changed' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER users_keep_email BEFORE UPDATE OF id, email ON users
FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.id <> NEW.id) EXECUTE FUNCTION users_keep_email();
CREATE TRIGGER users_stay BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION users_keep_email();

CREATE FUNCTION users_date_password() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.password_set_at := now();
  RETURN NEW;
END $$;

CREATE TRIGGER users_date_password BEFORE UPDATE OF password_hash ON users
FOR EACH ROW WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash
  AND OLD.password_renewal IS NOT DISTINCT FROM NEW.password_renewal) EXECUTE FUNCTION users_date_password();

-- Two tables on purpose, so that a verification token can never be used as a reset token.
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
