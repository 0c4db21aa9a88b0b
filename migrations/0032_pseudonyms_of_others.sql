-- Emails and names of deleted accounts that stayed where others are told of a person: in notifications of members whose policy or product names
-- somebody, in what a product reported of somebody else's act, and as the member of an event's object.

-- Finds notifications that contain an email.
CREATE INDEX notifications_naming ON notifications USING gin (jsonb_path_query_array(data, '$.*'))
  WHERE is_product OR data ? 'email' OR type IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_REQUESTED');
DROP INDEX notifications_about_joiner;

-- Finds audit events of the product that contain an email.
CREATE INDEX audit_events_product_values ON audit_events USING gin (jsonb_path_query_array(metadata, '$.*')) WHERE is_product;

-- Like the function of 0027_sign_on.sql, and also in all notifications, and in audit events of the product by anybody.
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

  -- The service refuses addresses of .invalid, so no account should have the pseudonym as its email. If one does, no mail ever reached it.
  UPDATE users SET email = 'moved-' || gen_random_uuid() || '@deleted.invalid' WHERE email = pseudonym AND id <> account_id;

  WITH theirs AS (
    UPDATE user_invitations SET email = pseudonym WHERE email = ANY (emails) RETURNING id
  ) SELECT array_agg(id) INTO invitations FROM theirs;
  UPDATE user_invitation_sends SET email = NULL WHERE email = ANY (emails);
  UPDATE sign_on_setup_links SET email = pseudonym WHERE email = ANY (emails);

  -- An event that contains an email is about the account, about an invitation of it, about a sign-in with it, or of the product.
  PERFORM set_config('service.pseudonymised', account_id::text, true);
  WITH replaced AS (
    UPDATE audit_events SET metadata = with_pseudonyms(metadata, emails, pseudonym)
    WHERE (actor_id = account_id OR target_id = account_id OR target_id = ANY (invitations)
      OR (action = 'LOGIN_FAILED' AND target_id IS NULL AND metadata ->> 'email' = ANY (emails))
      OR (action IN ('SSO_SIGN_IN_FAILED', 'SETUP_LINK_CREATED', 'SETUP_LINK_FINISHED', 'SETUP_LINK_REVOKED') AND metadata ->> 'email' = ANY (emails))
      OR (metadata ? 'setupEmail' AND metadata ->> 'setupEmail' = ANY (emails))
      OR (is_product AND jsonb_path_query_array(metadata, '$.*') ?| emails))
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
  WHERE (is_product OR data ? 'email' OR type IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_REQUESTED'))
    AND jsonb_path_query_array(data, '$.*') ?| emails;

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

-- Returns a part of an event's data with another name, if it names the account: an account by `id` or `userId`, and its name beside it.
CREATE FUNCTION with_pseudonym_names(part jsonb, account_id uuid) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN part ? 'firstName' AND account_id::text IN (part ->> 'userId', part ->> 'id')
  THEN part || '{"firstName": "Deleted", "lastName": "Account"}' ELSE part END;

-- Like the function of 0022_product_feed.sql, and also where the object of an event names a person as its member.
CREATE OR REPLACE FUNCTION pseudonymise_event_data(data jsonb, account users, emails text[], pseudonym text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result jsonb := with_pseudonyms(data, emails, pseudonym);
  object jsonb := with_pseudonym_names(result -> 'object', account.id);
  place text;
BEGIN
  IF jsonb_typeof(object) IS DISTINCT FROM 'object' THEN RETURN result; END IF;
  IF object <> result -> 'object' AND result -> 'previous' ?| '{firstName,lastName}' THEN result := result - 'previous'; END IF;
  FOREACH place IN ARRAY '{member,reporter}'::text[] LOOP
    IF jsonb_typeof(object -> place) = 'object' THEN
      object := jsonb_set(object, ARRAY[place], with_pseudonym_names(object -> place, account.id));
    END IF;
  END LOOP;
  -- A product may report an object with a reporter and without a subject. NULL would stop the pseudonym of the account.
  IF object -> 'reporter' ->> 'id' = account.id::text AND jsonb_typeof(object -> 'subject') = 'string' THEN
    object := jsonb_set(object, '{subject}', to_jsonb(left(without_traces_of(object ->> 'subject', emails,
      account.first_name, account.last_name, pseudonym), 200)));
  END IF;
  RETURN jsonb_set(result, '{object}', object);
END $$;
