-- The emails that an account has and had, and changes of them. Rows of a user are written under the lock of that user.

-- Every email that an account has or had. An email belongs to one account for all time. Pseudonymising a deleted account deletes its rows;
-- retired_emails then has the digests.
CREATE TABLE account_emails (
  email text PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  used_from timestamptz(3) NOT NULL DEFAULT now(),
  used_until timestamptz(3)
);

CREATE INDEX account_emails_user ON account_emails (user_id);

-- The audit log can be searched by former emails.
CREATE INDEX account_emails_former_search ON account_emails USING gin (email gin_trgm_ops) WHERE used_until IS NOT NULL;

-- Emails of accounts that got a pseudonym: they are never assigned again. The table shows whether a known address was used, but no address
-- can be read from it.
CREATE TABLE retired_emails (
  digest bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id)
);

-- Finds the emails that a pseudonym replaced, when an event that names the account is verified.
CREATE INDEX retired_emails_user ON retired_emails (user_id);

CREATE FUNCTION digest_of_email(email text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN sha256(convert_to('retired email: ' || email, 'UTF8'));

-- Emails share 256 advisory locks: with one lock each, an INSERT of some ten thousand accounts would fill the server's lock table.
CREATE FUNCTION retired_email_lock(email text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN hashtext(email) & 255;

-- Skips the insert of an account whose email another account had, like ON CONFLICT DO NOTHING for an email that another account has.
CREATE FUNCTION users_refuse_retired_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Pseudonymising an account frees its email in `users` when it commits, and a change of email takes one. Both hold this lock exclusively.
  PERFORM pg_advisory_xact_lock_shared(hashtext('retired email'), retired_email_lock(NEW.email));
  IF EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(NEW.email))
    OR EXISTS (SELECT FROM account_emails WHERE email = NEW.email AND used_until IS NOT NULL) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER users_refuse_retired_email BEFORE INSERT ON users
FOR EACH ROW EXECUTE FUNCTION users_refuse_retired_email();

CREATE FUNCTION users_keep_emails() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.pseudonymised_at IS NULL THEN
    INSERT INTO account_emails (email, user_id) VALUES (NEW.email, NEW.id) ON CONFLICT (email) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER users_keep_emails AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION users_keep_emails();

-- Prevents a role that does not own the tables from freeing or taking an email.
CREATE FUNCTION account_emails_stay() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'The emails of an account are not changed' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER account_emails_stay BEFORE INSERT OR UPDATE OR DELETE ON account_emails
FOR EACH ROW EXECUTE FUNCTION account_emails_stay();

-- Requested changes of an account's email: both addresses confirm a change, and a link to the old one can undo it for a while.
CREATE TABLE email_changes (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  old_email text NOT NULL,
  new_email text NOT NULL,
  -- Whether the old address must confirm, too.
  needs_old boolean NOT NULL,
  -- SHA-256 of the tokens in the links, in hexadecimal.
  old_token_hash text NOT NULL CONSTRAINT email_changes_old_token_unique UNIQUE,
  new_token_hash text NOT NULL CONSTRAINT email_changes_new_token_unique UNIQUE,
  undo_token_hash text CONSTRAINT email_changes_undo_token_unique UNIQUE,
  old_confirmed_at timestamptz(3),
  new_confirmed_at timestamptz(3),
  -- The session that confirmed the new address. The change does not end this session.
  session_id uuid,
  completed_at timestamptz(3),
  undone_at timestamptz(3),
  canceled_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  undo_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX email_changes_user ON email_changes (user_id, created_at);
CREATE UNIQUE INDEX email_changes_one_live ON email_changes (user_id) WHERE completed_at IS NULL AND canceled_at IS NULL;

-- The role of the API may not write confirmations (src/platform/db/grant.ts). These functions run as their owner and write them for the
-- holder of a mailed token.

-- Records that the holder of a token confirmed a pending change; false if there is no such change.
CREATE FUNCTION confirm_account_email(change uuid, digest text, session uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE email_changes SET
    old_confirmed_at = CASE WHEN old_token_hash = digest THEN COALESCE(old_confirmed_at, now()) ELSE old_confirmed_at END,
    new_confirmed_at = CASE WHEN new_token_hash = digest THEN COALESCE(new_confirmed_at, now()) ELSE new_confirmed_at END,
    session_id = CASE WHEN new_token_hash = digest AND new_confirmed_at IS NULL THEN session ELSE session_id END
  WHERE id = change AND digest IN (old_token_hash, new_token_hash)
    AND completed_at IS NULL AND canceled_at IS NULL AND expires_at > now();
  RETURN FOUND;
END $$;

-- Gives an account another email, and records since when and until when it has each. False if another account has or had the email.
CREATE FUNCTION give_account_email(account_id uuid, new_email text) RETURNS boolean LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  old_email text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('retired email'), retired_email_lock(new_email));
  IF EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(new_email))
    OR EXISTS (SELECT FROM account_emails WHERE email = new_email AND user_id <> account_id)
    OR EXISTS (SELECT FROM users WHERE email = new_email AND id <> account_id) THEN RETURN false; END IF;
  SELECT email INTO old_email FROM users WHERE id = account_id AND NOT is_deleted FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE account_emails SET used_until = now() WHERE email = old_email;
  INSERT INTO account_emails (email, user_id) VALUES (new_email, account_id)
  ON CONFLICT (email) DO UPDATE SET used_until = NULL;
  UPDATE users SET email = new_email, email_verified_at = now(), updated_at = now() WHERE id = account_id;
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION give_account_email FROM PUBLIC;

-- Gives the account the new email of a change with all confirmations; false if one is missing, or if the email belongs to another account.
CREATE FUNCTION change_account_email(change uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed email_changes;
BEGIN
  SELECT * INTO changed FROM email_changes
  WHERE id = change AND completed_at IS NULL AND canceled_at IS NULL AND expires_at > now()
    AND new_confirmed_at IS NOT NULL AND (old_confirmed_at IS NOT NULL OR NOT needs_old)
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  RETURN give_account_email(changed.user_id, changed.new_email);
END $$;

-- Completes a change after `change_account_email`: stores the digest of the token that undoes it, and returns until when it can be undone.
-- Null if changes cannot be undone.
CREATE FUNCTION complete_account_email(change uuid, undo_digest text, undo_hours integer) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  result timestamptz;
BEGIN
  UPDATE email_changes c SET completed_at = now(), undo_token_hash = undo_digest,
    undo_until = CASE WHEN undo_digest IS NOT NULL THEN now() + make_interval(hours => undo_hours) END
  FROM users u
  WHERE c.id = change AND c.completed_at IS NULL AND c.canceled_at IS NULL AND u.id = c.user_id AND u.email = c.new_email
    AND c.new_confirmed_at IS NOT NULL AND (c.old_confirmed_at IS NOT NULL OR NOT c.needs_old)
  RETURNING c.undo_until INTO result;
  RETURN result;
END $$;

-- Undoes a completed change for the holder of its token; false if that is not possible, or not any more.
CREATE FUNCTION undo_account_email(change uuid, digest text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed email_changes;
BEGIN
  SELECT * INTO changed FROM email_changes
  WHERE id = change AND undo_token_hash = digest AND completed_at IS NOT NULL AND undone_at IS NULL AND undo_until > now()
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  RETURN give_account_email(changed.user_id, changed.old_email);
END $$;
