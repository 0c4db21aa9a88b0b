-- Accounts that were deleted long ago lose their email and name, here and wherever the service wrote them down.

ALTER TABLE users ADD COLUMN pseudonymised_at timestamptz(3);

-- By what the email of such an account is still recognized, as it is never given again. Whoever knows an address can find
-- out whether it is among them; nobody can read one.
CREATE TABLE retired_emails (
  digest bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id)
);

CREATE FUNCTION digest_of_email(email text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN sha256(convert_to('retired email: ' || email, 'UTF8'));

CREATE FUNCTION users_refuse_retired_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A pseudonym that is being given frees the email as soon as it commits: its digest is looked for after that.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('retired email: ' || NEW.email, 0));
  -- As ON CONFLICT DO NOTHING leaves out an email that an account holds.
  IF EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(NEW.email)) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER users_refuse_retired_email BEFORE INSERT ON users
FOR EACH ROW EXECUTE FUNCTION users_refuse_retired_email();

-- The email of an account is what its pseudonym replaces in events, so a role that does not own the tables never changes it.
CREATE FUNCTION users_keep_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'The email of an account is not changed' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER users_keep_email BEFORE UPDATE OF email ON users
FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION users_keep_email();

CREATE FUNCTION pseudonym_of(user_id uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'deleted-' || user_id || '@deleted.invalid';

-- The same data, where a value is the email: the pseudonym.
CREATE FUNCTION with_pseudonym(data jsonb, email text, pseudonym text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(data::text, to_json(email)::text, to_json(pseudonym)::text)::jsonb;

-- The same text, without the email and the full name, where they are not a part of something longer.
CREATE FUNCTION without_traces(body text, email text, first_name text, last_name text, pseudonym text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(body, '(?<![[:alnum:]._%+-])(?:' ||
  regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g') || '|' || regexp_replace(first_name, '([^[:alnum:]])', '\\\1', 'g')
    || '\s+' || regexp_replace(last_name, '([^[:alnum:]])', '\\\1', 'g') || ')(?![[:alnum:]_-]|\.[[:alnum:]])',
  pseudonym, 'gi');

-- Events stay append-only, with one exception: in the metadata, the email of an account that was deleted becomes its
-- pseudonym. `service.pseudonymised` names the account; it opens nothing but this rewrite.

CREATE OR REPLACE FUNCTION refuse_change_of_append_only_table() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND COALESCE(current_setting('service.pseudonymised', true), '') <> ''
    AND COALESCE(pg_partition_root(TG_RELID), TG_RELID) = 'public.audit_events'::regclass THEN RETURN NULL; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION refuse_other_change_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Gives at most `max` accounts that were deleted so many days ago a pseudonym; returns how many.
CREATE FUNCTION pseudonymise_deleted_accounts(days integer, max integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account users;
  pseudonym text;
  invitations uuid[];
  renamed uuid[];
  done integer := 0;
BEGIN
  IF days < 2 THEN RAISE EXCEPTION 'An account keeps its name for two days at least'; END IF;
  FOR account IN
    SELECT * FROM users
    WHERE is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => days)
    ORDER BY deleted_at LIMIT max FOR UPDATE SKIP LOCKED
  LOOP
    pseudonym := pseudonym_of(account.id);

    WITH theirs AS (
      UPDATE user_invitations SET email = pseudonym WHERE email = account.email RETURNING id
    ) SELECT array_agg(id) INTO invitations FROM theirs;
    UPDATE user_invitation_sends SET email = NULL WHERE email = account.email;

    -- Whatever the service writes about an email is about the account, an invitation of it, or a sign-in with it.
    PERFORM set_config('service.pseudonymised', account.id::text, true);
    UPDATE audit_events SET metadata = with_pseudonym(metadata, account.email, pseudonym)
    WHERE (actor_id = account.id OR target_id = account.id OR target_id = ANY (invitations)
      OR (action = 'LOGIN_FAILED' AND target_id IS NULL AND metadata ->> 'email' = account.email))
      AND strpos(metadata::text, to_json(account.email)::text) > 0;
    PERFORM set_config('service.pseudonymised', '', true);

    UPDATE notifications SET data = with_pseudonym(data, account.email, pseudonym)
    WHERE type = 'INVITATION_ACCEPTED' AND data ->> 'userId' = account.id::text;

    -- What people wrote themselves, where it has the email or the full name as it is.
    WITH theirs AS (
      UPDATE tickets SET subject = left(without_traces(subject, account.email, account.first_name, account.last_name, pseudonym), 200)
      WHERE reporter_id = account.id
        AND subject <> without_traces(subject, account.email, account.first_name, account.last_name, pseudonym)
      RETURNING id
    ) SELECT array_agg(id::text) INTO renamed FROM theirs;
    UPDATE ticket_messages SET body = without_traces(body, account.email, account.first_name, account.last_name, pseudonym)
    WHERE (author_id = account.id OR ticket_id IN (SELECT id FROM tickets WHERE reporter_id = account.id))
      AND body <> without_traces(body, account.email, account.first_name, account.last_name, pseudonym);
    IF renamed IS NOT NULL THEN
      UPDATE notifications SET data = jsonb_set(data, '{subject}', to_jsonb(t.subject))
      FROM tickets t WHERE data ? 'subject' AND data ->> 'ticketId' = ANY (renamed::text[]) AND t.id::text = data ->> 'ticketId';
    END IF;

    PERFORM pg_advisory_xact_lock(hashtextextended('retired email: ' || account.email, 0));
    INSERT INTO retired_emails (digest, user_id) VALUES (digest_of_email(account.email), account.id)
    ON CONFLICT (digest) DO NOTHING;
    UPDATE users SET email = pseudonym, first_name = 'Deleted', last_name = 'Account', password_hash = NULL,
      pending_organization_name = NULL, pseudonymised_at = now()
    WHERE id = account.id;
    done := done + 1;
  END LOOP;
  RETURN done;
END $$;
