-- Events and outbox get the pseudonym of a deleted account for all emails that it ever had. An event that the relay moves at the
-- same time cannot escape, because the outbox comes first: if the relay holds a row there, this waits, and then finds it in `events`.

DROP TRIGGER users_pseudonymise_events ON users;
DROP FUNCTION pseudonymise_events();
DROP FUNCTION pseudonymise_event_data(jsonb, users, text);

-- Replaces the emails and the names of an account in the data of events.
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

-- Runs when an account that gets its pseudonym loses its emails. Its row in `users` still has its email and its names then.
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
    -- Their invitations have the pseudonym already.
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
