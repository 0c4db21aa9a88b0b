-- Accounts that were deleted long ago lose their email and name, in their row and wherever the service wrote them down.

-- Emails of accounts that got a pseudonym: they are never given again. A known address can be looked up here;
-- nobody can read one.
CREATE TABLE retired_emails (
  digest bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id)
);

-- Finds the email that a pseudonym replaced, when an event that names the account is verified.
CREATE INDEX retired_emails_user ON retired_emails (user_id);

CREATE FUNCTION digest_of_email(email text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN sha256(convert_to('retired email: ' || email, 'UTF8'));

-- Emails share 256 locks: with one each, an INSERT of some ten thousand accounts filled the server's table of locks.
CREATE FUNCTION retired_email_lock(email text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN hashtext(email) & 255;

CREATE FUNCTION users_refuse_retired_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A pseudonym that is being given frees the email as soon as it commits: its digest is looked for after that.
  PERFORM pg_advisory_xact_lock_shared(hashtext('retired email'), retired_email_lock(NEW.email));
  -- As ON CONFLICT DO NOTHING leaves out an email that an account holds.
  IF EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(NEW.email)) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER users_refuse_retired_email BEFORE INSERT ON users
FOR EACH ROW EXECUTE FUNCTION users_refuse_retired_email();

-- The events in which the email of an account was replaced by its pseudonym. Somebody may have typed that pseudonym before, as
-- the name of a unit for example: `typed` has the positions of these texts among all texts that are the pseudonym now, from 1, in the
-- order of the metadata. A pseudonym in an event without a row here was typed.
CREATE TABLE audit_pseudonyms (
  event_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  typed integer[] NOT NULL,
  CONSTRAINT audit_pseudonyms_pkey PRIMARY KEY (event_id, user_id)
);

CREATE TRIGGER audit_pseudonyms_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_pseudonyms
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();

CREATE FUNCTION pseudonym_of(user_id uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'deleted-' || user_id || '@deleted.invalid';

-- A JSON string as a pattern. The quote before it is no escaped one, at which a longer text would end with it.
CREATE FUNCTION pattern_of_json(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN '(?<!\\)' || regexp_replace(to_json(value)::text, '([^[:alnum:]])', '\\\1', 'g');

-- The same data, with the pseudonym instead of each value that is the email.
CREATE FUNCTION with_pseudonym(data jsonb, email text, pseudonym text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(data::text, pattern_of_json(email), to_json(pseudonym)::text, 'g')::jsonb;

-- Of the values that are the email or the pseudonym, the places of the latter.
CREATE FUNCTION typed_pseudonyms(data jsonb, email text, pseudonym text) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
  SELECT found.place::integer
  FROM regexp_matches(data::text, '(?:' || pattern_of_json(email) || '|' || pattern_of_json(pseudonym) || ')', 'g')
    WITH ORDINALITY AS found (texts, place)
  WHERE found.texts[1] = to_json(pseudonym)::text ORDER BY 1
);

-- The same text, without the email and the full name, where they are not a part of something longer.
CREATE FUNCTION without_traces(body text, email text, first_name text, last_name text, pseudonym text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(body, '(?<![[:alnum:]._%+-])(?:' ||
  regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g') || '|' || regexp_replace(first_name, '([^[:alnum:]])', '\\\1', 'g')
    || '\s+' || regexp_replace(last_name, '([^[:alnum:]])', '\\\1', 'g') || ')(?![[:alnum:]_-]|\.[[:alnum:]])',
  pseudonym, 'gi');

-- Allows one change of an event: the email of the account that `service.pseudonymised` names becomes its pseudonym.
CREATE FUNCTION refuse_other_change_of_event() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  allowed audit_events := OLD;
  account users;
BEGIN
  SELECT * INTO account FROM users
  WHERE id = NULLIF(current_setting('service.pseudonymised', true), '')::uuid AND is_deleted
    AND pseudonymised_at IS NULL AND deleted_at < now() - interval '1 day';
  IF FOUND THEN
    allowed.metadata := with_pseudonym(OLD.metadata, account.email, pseudonym_of(account.id));
    IF NEW.metadata <> OLD.metadata AND NEW IS NOT DISTINCT FROM allowed THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

-- Partitions have triggers by row from their table.
CREATE TRIGGER audit_events_only_pseudonyms BEFORE UPDATE ON audit_events
FOR EACH ROW EXECUTE FUNCTION refuse_other_change_of_event();

-- Gives an account that was deleted so many days ago its pseudonym; false if it is not due, or another transaction does.
CREATE FUNCTION pseudonymise_deleted_account(account_id uuid, days integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account users;
  pseudonym text := pseudonym_of(account_id);
  invitations uuid[];
  renamed uuid[];
BEGIN
  IF days < 2 THEN RAISE EXCEPTION 'An account keeps its name for two days at least'; END IF;
  SELECT * INTO account FROM users
  WHERE id = account_id AND is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => days)
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;

  -- Before addresses of .invalid were refused, anybody could register with the pseudonym. No mail ever reached that account.
  UPDATE users SET email = 'moved-' || gen_random_uuid() || '@deleted.invalid' WHERE email = pseudonym AND id <> account_id;

  WITH theirs AS (
    UPDATE user_invitations SET email = pseudonym WHERE email = account.email RETURNING id
  ) SELECT array_agg(id) INTO invitations FROM theirs;
  UPDATE user_invitation_sends SET email = NULL WHERE email = account.email;

  -- Whatever the service writes about an email is about the account, an invitation of it, or a sign-in with it.
  PERFORM set_config('service.pseudonymised', account_id::text, true);
  WITH replaced AS (
    UPDATE audit_events SET metadata = with_pseudonym(metadata, account.email, pseudonym)
    WHERE (actor_id = account_id OR target_id = account_id OR target_id = ANY (invitations)
      OR (action = 'LOGIN_FAILED' AND target_id IS NULL AND metadata ->> 'email' = account.email))
      AND strpos(metadata::text, to_json(account.email)::text) > 0
      AND metadata <> with_pseudonym(metadata, account.email, pseudonym)
    RETURNING audit_events.id, old.metadata AS before
  )
  INSERT INTO audit_pseudonyms (event_id, user_id, typed)
  SELECT id, account_id, typed_pseudonyms(before, account.email, pseudonym) FROM replaced
  ON CONFLICT ON CONSTRAINT audit_pseudonyms_pkey DO NOTHING;
  PERFORM set_config('service.pseudonymised', '', true);

  UPDATE notifications SET data = with_pseudonym(data, account.email, pseudonym)
  WHERE type = 'INVITATION_ACCEPTED' AND data ->> 'userId' = account_id::text;

  -- What people wrote themselves, where it has the email or the full name as it is.
  WITH theirs AS (
    UPDATE tickets SET subject = left(without_traces(subject, account.email, account.first_name, account.last_name, pseudonym), 200)
    WHERE reporter_id = account_id
      AND subject <> without_traces(subject, account.email, account.first_name, account.last_name, pseudonym)
    RETURNING id
  ) SELECT array_agg(id::text) INTO renamed FROM theirs;
  UPDATE ticket_messages SET body = without_traces(body, account.email, account.first_name, account.last_name, pseudonym)
  WHERE (author_id = account_id OR ticket_id IN (SELECT id FROM tickets WHERE reporter_id = account_id))
    AND body <> without_traces(body, account.email, account.first_name, account.last_name, pseudonym);
  IF renamed IS NOT NULL THEN
    UPDATE notifications SET data = jsonb_set(data, '{subject}', to_jsonb(t.subject))
    FROM tickets t WHERE data ? 'subject' AND data ->> 'ticketId' = ANY (renamed::text[]) AND t.id::text = data ->> 'ticketId';
  END IF;

  PERFORM pg_advisory_xact_lock(hashtext('retired email'), retired_email_lock(account.email));
  INSERT INTO retired_emails (digest, user_id) VALUES (digest_of_email(account.email), account_id)
  ON CONFLICT (digest) DO NOTHING;
  UPDATE users SET email = pseudonym, first_name = 'Deleted', last_name = 'Account', password_hash = NULL,
    pending_organization_name = NULL, pseudonymised_at = now()
  WHERE id = account_id;
  RETURN true;
END $$;

-- Gives at most `max` accounts that were deleted so many days ago a pseudonym; returns how many. An account that fails is skipped.
CREATE FUNCTION pseudonymise_deleted_accounts(days integer, max integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account_id uuid;
  done integer := 0;
BEGIN
  IF days < 2 THEN RAISE EXCEPTION 'An account keeps its name for two days at least'; END IF;
  FOR account_id IN
    SELECT id FROM users
    WHERE is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => days) ORDER BY deleted_at
  LOOP
    EXIT WHEN done >= max;
    BEGIN
      IF pseudonymise_deleted_account(account_id, days) THEN done := done + 1; END IF;
    EXCEPTION WHEN OTHERS THEN RAISE WARNING 'Account % has no pseudonym: %', account_id, SQLERRM;
    END;
  END LOOP;
  RETURN done;
END $$;
