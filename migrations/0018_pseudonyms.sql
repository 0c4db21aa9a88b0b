-- Accounts that were deleted long ago lose their emails and their name, in their row and wherever the service stored them.

-- The events in which emails of an account were replaced by its pseudonym. Somebody may have typed that pseudonym before, for example as
-- the name of a unit. A pseudonym in an event without a row here was typed.
CREATE TABLE audit_pseudonyms (
  event_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  -- The positions of typed pseudonyms among all occurrences of the pseudonym, from 1, counted from the beginning of the metadata.
  typed integer[] NOT NULL,
  -- The digest of the email that each occurrence replaced; null for a typed one.
  emails bytea[],
  CONSTRAINT audit_pseudonyms_pkey PRIMARY KEY (event_id, user_id)
);

CREATE TRIGGER audit_pseudonyms_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_pseudonyms
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();

CREATE FUNCTION pseudonym_of(user_id uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'deleted-' || user_id || '@deleted.invalid';

-- Returns all emails that an account has or had.
CREATE FUNCTION emails_of_account(account_id uuid) RETURNS text[] LANGUAGE sql STABLE
SET search_path = public, pg_temp
RETURN ARRAY(
  SELECT email FROM users WHERE id = account_id UNION SELECT email FROM account_emails WHERE user_id = account_id ORDER BY email);

-- Returns a regular expression that finds a JSON string. Its first quote is not an escaped one, with which a part of a longer text could begin.
CREATE FUNCTION pattern_of_json(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN '(?<!\\)' || regexp_replace(to_json(value)::text, '([^[:alnum:]])', '\\\1', 'g');

-- Returns the data with the pseudonym in place of each value that equals the email.
CREATE FUNCTION with_pseudonym(data jsonb, email text, pseudonym text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(data::text, pattern_of_json(email), to_json(pseudonym)::text, 'g')::jsonb;

-- Like `with_pseudonym`, for several emails.
CREATE FUNCTION with_pseudonyms(data jsonb, emails text[], pseudonym text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY emails LOOP data := with_pseudonym(data, one, pseudonym); END LOOP;
  RETURN data;
END $$;

-- Returns the digest of each value of the data that equals one of the emails, and null for each that equals the pseudonym.
CREATE FUNCTION replaced_emails(data jsonb, emails text[], pseudonym text) RETURNS bytea[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
  SELECT CASE WHEN found.texts[1] = to_json(pseudonym)::text THEN NULL ELSE digest_of_email(found.texts[1]::jsonb #>> '{}') END
  FROM regexp_matches(data::text,
    '(?:' || (SELECT string_agg(pattern_of_json(one), '|') FROM unnest(emails || pseudonym) one) || ')', 'g')
    WITH ORDINALITY AS found (texts, place)
  ORDER BY found.place);

-- Replaces the email and the full name in a text by the pseudonym, unless they are part of a longer word.
CREATE FUNCTION without_traces(body text, email text, first_name text, last_name text, pseudonym text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(body, '(?<![[:alnum:]._%+-])(?:' ||
  regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g') || '|' || regexp_replace(first_name, '([^[:alnum:]])', '\\\1', 'g')
    || '\s+' || regexp_replace(last_name, '([^[:alnum:]])', '\\\1', 'g') || ')(?![[:alnum:]_-]|\.[[:alnum:]])',
  pseudonym, 'gi');

-- Like `without_traces`, for several emails.
CREATE FUNCTION without_traces_of(body text, emails text[], first_name text, last_name text, pseudonym text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY emails LOOP body := without_traces(body, one, first_name, last_name, pseudonym); END LOOP;
  RETURN body;
END $$;

-- Allows one change of an audit event: the emails of the account that `service.pseudonymised` names become its pseudonym.
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
    allowed.metadata := with_pseudonyms(OLD.metadata, emails_of_account(account.id), pseudonym_of(account.id));
    IF NEW.metadata <> OLD.metadata AND NEW IS NOT DISTINCT FROM allowed THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

-- Partitions inherit row triggers from their table.
CREATE TRIGGER audit_events_only_pseudonyms BEFORE UPDATE ON audit_events
FOR EACH ROW EXECUTE FUNCTION refuse_other_change_of_event();

-- Replaces the emails and the names of an account in the data of events for other systems.
CREATE FUNCTION pseudonymise_event_data(data jsonb, account users, emails text[], pseudonym text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result jsonb := with_pseudonyms(data, emails, pseudonym);
  names jsonb := '{"firstName": "Deleted", "lastName": "Account"}';
BEGIN
  IF result -> 'object' ->> 'userId' = account.id::text AND result -> 'object' ? 'firstName' THEN
    result := jsonb_set(result, '{object}', (result -> 'object') || names);
    IF result -> 'previous' ?| '{firstName,lastName}' THEN result := result - 'previous'; END IF;
  END IF;
  IF result -> 'object' -> 'reporter' ->> 'id' = account.id::text THEN
    result := jsonb_set(result, '{object,reporter}', (result -> 'object' -> 'reporter') || names);
    result := jsonb_set(result, '{object,subject}', to_jsonb(left(without_traces_of(result -> 'object' ->> 'subject', emails,
      account.first_name, account.last_name, pseudonym), 200)));
  END IF;
  RETURN result;
END $$;

-- Runs when an account that gets its pseudonym loses its emails. Its row in `users` still has its email and its names then. The outbox comes
-- first, so that an event that the relay moves at the same time cannot escape: if the relay has locked a row there, the update waits, and
-- the event is then found in `events`.
CREATE FUNCTION pseudonymise_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account users;
  emails text[];
  pseudonym text;
  organizations uuid[];
BEGIN
  FOR account IN SELECT * FROM users WHERE id IN (SELECT user_id FROM former) AND is_deleted AND pseudonymised_at IS NULL LOOP
    pseudonym := pseudonym_of(account.id);
    emails := ARRAY(SELECT email FROM former WHERE user_id = account.id UNION SELECT account.email);
    -- Invitations of the account already have the pseudonym as their email.
    organizations := ARRAY(
      SELECT organization_id FROM memberships WHERE user_id = account.id
      UNION SELECT organization_id FROM user_invitations WHERE email = pseudonym OR invited_by_id = account.id
      UNION SELECT organization_id FROM tickets WHERE reporter_id = account.id AND organization_id IS NOT NULL);
    UPDATE event_outbox SET data = pseudonymise_event_data(data, account, emails, pseudonym)
    WHERE organization_id = ANY (organizations) AND EXISTS (SELECT FROM unnest(emails) one WHERE strpos(data::text, to_json(one)::text) > 0);
    UPDATE events SET data = pseudonymise_event_data(data, account, emails, pseudonym)
    WHERE organization_id = ANY (organizations) AND EXISTS (SELECT FROM unnest(emails) one WHERE strpos(data::text, to_json(one)::text) > 0);
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER account_emails_pseudonymise_events AFTER DELETE ON account_emails REFERENCING OLD TABLE AS former
FOR EACH STATEMENT EXECUTE FUNCTION pseudonymise_events();

-- Gives an account that was deleted so many days ago its pseudonym; false if it is not due, or if another transaction is doing so.
CREATE FUNCTION pseudonymise_deleted_account(account_id uuid, days integer) RETURNS boolean
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

  -- The service refuses addresses of .invalid, so no account should have the pseudonym as its email. If one does, no mail ever reached it.
  UPDATE users SET email = 'moved-' || gen_random_uuid() || '@deleted.invalid' WHERE email = pseudonym AND id <> account_id;

  WITH theirs AS (
    UPDATE user_invitations SET email = pseudonym WHERE email = ANY (emails) RETURNING id
  ) SELECT array_agg(id) INTO invitations FROM theirs;
  UPDATE user_invitation_sends SET email = NULL WHERE email = ANY (emails);

  -- An event that contains an email is about the account, about an invitation of it, or about a sign-in with it.
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

  -- Texts that people wrote, if they contain an email or the full name.
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
  -- The rows stay, because the verification of the audit log needs the number of emails that the account had.
  UPDATE email_changes SET old_email = encode(digest_of_email(old_email), 'hex'), new_email = encode(digest_of_email(new_email), 'hex')
  WHERE user_id = account_id;
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
