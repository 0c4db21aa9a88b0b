-- Change of an account's email: both addresses confirm it, and a link to the old one can undo it for a while. Rows of a user are
-- written under the lock of that user.
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
  -- The session that confirmed the new address: it outlives the change.
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

-- Every email that an account has or had: it has one holder over all time. Pseudonyms take deleted accounts out of it; retired_emails
-- then has the digests.
CREATE TABLE account_emails (
  email text PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  used_from timestamptz(3) NOT NULL DEFAULT now(),
  used_until timestamptz(3)
);

CREATE INDEX account_emails_user ON account_emails (user_id);
-- The audit log is searched by former emails, too.
CREATE INDEX account_emails_former_search ON account_emails USING gin (email gin_trgm_ops) WHERE used_until IS NOT NULL;

INSERT INTO account_emails (email, user_id, used_from) SELECT email, id, created_at FROM users WHERE pseudonymised_at IS NULL;

-- When the password was set last; null for before this column. Renewing the hash of the same password does not count.
ALTER TABLE users ADD COLUMN password_set_at timestamptz(3);

CREATE FUNCTION users_date_password() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.password_set_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER users_date_password BEFORE UPDATE OF password_hash ON users
FOR EACH ROW WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash
  AND OLD.password_renewal IS NOT DISTINCT FROM NEW.password_renewal) EXECUTE FUNCTION users_date_password();

-- As ON CONFLICT DO NOTHING leaves out an email that an account holds, so does this for one that an account held.
CREATE OR REPLACE FUNCTION users_refuse_retired_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A pseudonym that is being given frees the email as soon as it commits, and a change of email takes one: both hold this lock alone.
  PERFORM pg_advisory_xact_lock_shared(hashtext('retired email'), retired_email_lock(NEW.email));
  IF EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(NEW.email))
    OR EXISTS (SELECT FROM account_emails WHERE email = NEW.email AND used_until IS NOT NULL) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION users_keep_emails() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.pseudonymised_at IS NULL THEN
    INSERT INTO account_emails (email, user_id) VALUES (NEW.email, NEW.id) ON CONFLICT (email) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER users_keep_emails AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION users_keep_emails();

-- A role that does not own the tables can neither free nor take an email.
CREATE FUNCTION account_emails_stay() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'The emails of an account are not changed' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER account_emails_stay BEFORE INSERT OR UPDATE OR DELETE ON account_emails
FOR EACH ROW EXECUTE FUNCTION account_emails_stay();

-- Gives an account another email, and dates both.
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

-- Completes a change whose confirmations are complete; false if it is not, or if the email has another holder.
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

-- Undoes a completed change while that is possible; false if it is not.
CREATE FUNCTION undo_account_email(change uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed email_changes;
BEGIN
  SELECT * INTO changed FROM email_changes
  WHERE id = change AND completed_at IS NOT NULL AND undone_at IS NULL AND undo_until > now()
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  RETURN give_account_email(changed.user_id, changed.old_email);
END $$;

-- Allows one change of an event: an email of the account that `service.pseudonymised` names becomes its pseudonym.
CREATE FUNCTION with_pseudonyms(data jsonb, emails text[], pseudonym text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY emails LOOP data := with_pseudonym(data, one, pseudonym); END LOOP;
  RETURN data;
END $$;

CREATE FUNCTION emails_of_account(account_id uuid) RETURNS text[] LANGUAGE sql STABLE
SET search_path = public, pg_temp
RETURN ARRAY(
  SELECT email FROM users WHERE id = account_id UNION SELECT email FROM account_emails WHERE user_id = account_id ORDER BY email);

-- Passkeys are a new kind of target. Whatever kinds there are stay.
DO $$
DECLARE
  known text := (SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
    WHERE conname = 'audit_events_target_type_known' AND conrelid = 'audit_events'::regclass);
BEGIN
  EXECUTE format('ALTER TABLE audit_events DROP CONSTRAINT audit_events_target_type_known,
    ADD CONSTRAINT audit_events_target_type_known CHECK (target_type = ''passkey'' OR %s)', known);
END $$;

-- Which email each occurrence of a pseudonym replaced, as a digest by its position; null where somebody typed the pseudonym.
ALTER TABLE audit_pseudonyms ADD COLUMN emails bytea[];

CREATE FUNCTION replaced_emails(data jsonb, emails text[], pseudonym text) RETURNS bytea[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
  SELECT CASE WHEN found.texts[1] = to_json(pseudonym)::text THEN NULL ELSE digest_of_email(found.texts[1]::jsonb #>> '{}') END
  FROM regexp_matches(data::text,
    '(?:' || (SELECT string_agg(pattern_of_json(one), '|') FROM unnest(emails || pseudonym) one) || ')', 'g')
    WITH ORDINALITY AS found (texts, place)
  ORDER BY found.place);

CREATE FUNCTION without_traces_of(body text, emails text[], first_name text, last_name text, pseudonym text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY emails LOOP body := without_traces(body, one, first_name, last_name, pseudonym); END LOOP;
  RETURN body;
END $$;

CREATE OR REPLACE FUNCTION refuse_other_change_of_event() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  allowed audit_events := OLD;
  account users;
BEGIN
  SELECT * INTO account FROM users
  WHERE id = NULLIF(current_setting('service.pseudonymised', true), '')::uuid AND is_deleted
    AND pseudonymised_at IS NULL AND deleted_at < now() - interval '1 day';
  IF FOUND THEN
    allowed.metadata := with_pseudonyms(OLD.metadata, emails_of_account(account.id), pseudonym_of(account.id));
    IF NEW.metadata <> OLD.metadata AND NEW IS NOT DISTINCT FROM allowed THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE FUNCTION pseudonymise_deleted_account(account_id uuid, days integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account users;
  emails text[];
  one text;
  pseudonym text := pseudonym_of(account_id);
  invitations uuid[];
  renamed uuid[];
BEGIN
  IF days < 2 THEN RAISE EXCEPTION 'An account keeps its name for two days at least'; END IF;
  SELECT * INTO account FROM users
  WHERE id = account_id AND is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => days)
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  emails := emails_of_account(account_id);

  -- Before addresses of .invalid were refused, anybody could register with the pseudonym. No mail ever reached that account.
  UPDATE users SET email = 'moved-' || gen_random_uuid() || '@deleted.invalid' WHERE email = pseudonym AND id <> account_id;

  WITH theirs AS (
    UPDATE user_invitations SET email = pseudonym WHERE email = ANY (emails) RETURNING id
  ) SELECT array_agg(id) INTO invitations FROM theirs;
  UPDATE user_invitation_sends SET email = NULL WHERE email = ANY (emails);

  -- Whatever the service writes about an email is about the account, an invitation of it, or a sign-in with it.
  PERFORM set_config('service.pseudonymised', account_id::text, true);
  WITH replaced AS (
    UPDATE audit_events SET metadata = with_pseudonyms(metadata, emails, pseudonym)
    WHERE (actor_id = account_id OR target_id = account_id OR target_id = ANY (invitations)
      OR (action = 'LOGIN_FAILED' AND target_id IS NULL AND metadata ->> 'email' = ANY (emails)))
      AND EXISTS (SELECT FROM unnest(emails) each WHERE strpos(metadata::text, to_json(each)::text) > 0)
      AND metadata <> with_pseudonyms(metadata, emails, pseudonym)
    RETURNING audit_events.id, old.metadata AS before
  ), read AS (
    SELECT id, replaced_emails(before, emails, pseudonym) AS digests FROM replaced
  )
  INSERT INTO audit_pseudonyms (event_id, user_id, typed, emails)
  SELECT id, account_id,
    ARRAY(SELECT place::integer FROM unnest(digests) WITH ORDINALITY AS at (digest, place) WHERE digest IS NULL ORDER BY place), digests
  FROM read
  ON CONFLICT ON CONSTRAINT audit_pseudonyms_pkey DO NOTHING;
  PERFORM set_config('service.pseudonymised', '', true);

  UPDATE notifications SET data = with_pseudonyms(data, emails, pseudonym)
  WHERE type = 'INVITATION_ACCEPTED' AND data ->> 'userId' = account_id::text
    OR user_id = account_id AND type IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_REQUESTED');

  -- What people wrote themselves, where it has an email or the full name as it is.
  WITH theirs AS (
    UPDATE tickets SET subject = left(without_traces_of(subject, emails, account.first_name, account.last_name, pseudonym), 200)
    WHERE reporter_id = account_id
      AND subject <> without_traces_of(subject, emails, account.first_name, account.last_name, pseudonym)
    RETURNING id
  ) SELECT array_agg(id::text) INTO renamed FROM theirs;
  UPDATE ticket_messages SET body = without_traces_of(body, emails, account.first_name, account.last_name, pseudonym)
  WHERE (author_id = account_id OR ticket_id IN (SELECT id FROM tickets WHERE reporter_id = account_id))
    AND body <> without_traces_of(body, emails, account.first_name, account.last_name, pseudonym);
  IF renamed IS NOT NULL THEN
    UPDATE notifications SET data = jsonb_set(data, '{subject}', to_jsonb(t.subject))
    FROM tickets t WHERE data ? 'subject' AND data ->> 'ticketId' = ANY (renamed::text[]) AND t.id::text = data ->> 'ticketId';
  END IF;

  FOREACH one IN ARRAY emails LOOP
    PERFORM pg_advisory_xact_lock(hashtext('retired email'), retired_email_lock(one));
    INSERT INTO retired_emails (digest, user_id) VALUES (digest_of_email(one), account_id) ON CONFLICT (digest) DO NOTHING;
  END LOOP;
  DELETE FROM account_emails WHERE user_id = account_id;
  -- What the verification of the audit log needs is how many emails the account had.
  UPDATE email_changes SET old_email = encode(digest_of_email(old_email), 'hex'), new_email = encode(digest_of_email(new_email), 'hex')
  WHERE user_id = account_id;
  UPDATE users SET email = pseudonym, first_name = 'Deleted', last_name = 'Account', password_hash = NULL,
    pending_organization_name = NULL, pseudonymised_at = now()
  WHERE id = account_id;
  RETURN true;
END $$;
