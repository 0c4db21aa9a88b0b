-- Emails share 256 locks: with one each, an INSERT of some ten thousand accounts filled the server's table of locks.

CREATE FUNCTION retired_email_lock(email text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN hashtext(email) & 255;

CREATE OR REPLACE FUNCTION users_refuse_retired_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A pseudonym that is being given frees the email as soon as it commits: its digest is looked for after that.
  PERFORM pg_advisory_xact_lock_shared(hashtext('retired email'), retired_email_lock(NEW.email));
  -- As ON CONFLICT DO NOTHING leaves out an email that an account holds.
  IF EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(NEW.email)) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION pseudonymise_deleted_accounts(days integer, max integer) RETURNS integer
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

    PERFORM pg_advisory_xact_lock(hashtext('retired email'), retired_email_lock(account.email));
    INSERT INTO retired_emails (digest, user_id) VALUES (digest_of_email(account.email), account.id)
    ON CONFLICT (digest) DO NOTHING;
    UPDATE users SET email = pseudonym, first_name = 'Deleted', last_name = 'Account', password_hash = NULL,
      pending_organization_name = NULL, pseudonymised_at = now()
    WHERE id = account.id;
    done := done + 1;
  END LOOP;
  RETURN done;
END $$;
