-- The feed of a product whose code runs elsewhere (docs/product.md): the changes of all organizations and accounts, in one order. The
-- relay copies them from the outbox, as it does for `events` (0016_events.sql).

-- A change of an account belongs to no organization. Some changes are for the feed only, and become no events.
ALTER TABLE event_outbox ALTER COLUMN organization_id DROP NOT NULL;
ALTER TABLE event_outbox ADD COLUMN is_feed_only boolean NOT NULL DEFAULT false;

CREATE TABLE feed (
  -- The number of the entry, without gaps, in the order in which the relay numbers commits.
  position bigint NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  organization_id uuid,
  -- The account of an entry about a member or a user, so that pseudonyms are written by this index.
  object_id uuid NOT NULL,
  data jsonb NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  CONSTRAINT feed_pkey PRIMARY KEY (position, recorded_at)
) PARTITION BY RANGE (recorded_at);

CREATE INDEX feed_object ON feed (object_id);

CREATE TABLE feed_rest PARTITION OF feed DEFAULT;

-- The numbering of the feed, in one row. `epoch` changes when a backup is restored: cursors of another epoch are refused.
CREATE TABLE feed_numbering (
  is_only boolean NOT NULL DEFAULT true CONSTRAINT feed_numbering_pkey PRIMARY KEY CONSTRAINT feed_numbering_is_only CHECK (is_only),
  last_position bigint NOT NULL DEFAULT 0,
  oldest_kept bigint NOT NULL DEFAULT 1,
  epoch bigint NOT NULL DEFAULT extract(epoch FROM clock_timestamp())::bigint
);
INSERT INTO feed_numbering DEFAULT VALUES;

-- How far the product has followed the feed: the latest cursor that it sent, in one row. Null before the first one. The row is not that of
-- the numbering, which the relay locks.
CREATE TABLE feed_receipt (
  is_only boolean NOT NULL DEFAULT true CONSTRAINT feed_receipt_pkey PRIMARY KEY CONSTRAINT feed_receipt_is_only CHECK (is_only),
  position bigint
);
INSERT INTO feed_receipt DEFAULT VALUES;

-- From here on, functions of earlier migrations include the feed.

CREATE OR REPLACE FUNCTION tables_by_day() RETURNS text[] LANGUAGE sql IMMUTABLE
RETURN ARRAY['events', 'webhook_deliveries', 'webhook_attempts', 'feed'];

CREATE OR REPLACE FUNCTION drop_event_days(days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  old record;
  limit_day date := (now() AT TIME ZONE 'UTC')::date - days;
  dropped integer := 0;
BEGIN
  IF days < 4 THEN RAISE EXCEPTION 'Events are kept for at least four days'; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('event days', 0));
  FOR old IN SELECT * FROM event_days WHERE day < limit_day LOOP
    IF old.parent = 'events' THEN
      EXECUTE format('UPDATE event_sequences s SET oldest_kept = GREATEST(s.oldest_kept, gone.last + 1)
        FROM (SELECT organization_id, max(sequence) AS last FROM %I GROUP BY organization_id) gone
        WHERE s.organization_id = gone.organization_id', old.name);
    ELSIF old.parent = 'feed' THEN
      EXECUTE format('UPDATE feed_numbering SET oldest_kept = GREATEST(oldest_kept, (SELECT max(position) + 1 FROM %I))', old.name);
    ELSIF old.parent = 'webhook_deliveries' THEN
      EXECUTE format('LOCK TABLE %I', old.name);
      EXECUTE format('INSERT INTO row_count_deltas (list, owner, rows)
        SELECT ''pending_deliveries'', endpoint_id, -count(*) FROM %I
        WHERE state = ''PENDING'' AND next_attempt_at IS NOT NULL GROUP BY endpoint_id', old.name);
    END IF;
    EXECUTE format('DROP TABLE %I', old.name);
    dropped := dropped + 1;
  END LOOP;
  WITH gone AS (DELETE FROM events_rest WHERE recorded_at < limit_day AT TIME ZONE 'UTC' RETURNING organization_id, sequence)
  UPDATE event_sequences s SET oldest_kept = GREATEST(s.oldest_kept, counted.last + 1)
  FROM (SELECT organization_id, max(sequence) AS last FROM gone GROUP BY organization_id) counted
  WHERE s.organization_id = counted.organization_id;
  WITH gone AS (DELETE FROM feed_rest WHERE recorded_at < limit_day AT TIME ZONE 'UTC' RETURNING position)
  UPDATE feed_numbering SET oldest_kept = GREATEST(oldest_kept, (SELECT max(position) + 1 FROM gone));
  RETURN dropped;
END $$;

CREATE OR REPLACE FUNCTION pseudonymise_event_data(data jsonb, account users, emails text[], pseudonym text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result jsonb := with_pseudonyms(data, emails, pseudonym);
  names jsonb := '{"firstName": "Deleted", "lastName": "Account"}';
BEGIN
  IF account.id::text IN (result -> 'object' ->> 'userId', result -> 'object' ->> 'id') AND result -> 'object' ? 'firstName' THEN
    result := jsonb_set(result, '{object}', (result -> 'object') || names);
    IF result -> 'previous' ?| '{firstName,lastName}' THEN result := result - 'previous'; END IF;
  END IF;
  IF result -> 'object' -> 'reporter' ->> 'id' = account.id::text THEN
    result := jsonb_set(result, '{object,reporter}', (result -> 'object' -> 'reporter') || names);
    -- A product may report an object with a reporter and without a subject. NULL would stop the pseudonym of the account.
    IF jsonb_typeof(result -> 'object' -> 'subject') = 'string' THEN
      result := jsonb_set(result, '{object,subject}', to_jsonb(left(without_traces_of(result -> 'object' ->> 'subject', emails,
        account.first_name, account.last_name, pseudonym), 200)));
    END IF;
  END IF;
  RETURN result;
END $$;

CREATE OR REPLACE FUNCTION pseudonymise_events() RETURNS trigger
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
    WHERE (organization_id = ANY (organizations) OR object_id = account.id) AND EXISTS (SELECT FROM unnest(emails) one WHERE strpos(data::text, to_json(one)::text) > 0);
    UPDATE events SET data = pseudonymise_event_data(data, account, emails, pseudonym)
    WHERE organization_id = ANY (organizations) AND EXISTS (SELECT FROM unnest(emails) one WHERE strpos(data::text, to_json(one)::text) > 0);
    UPDATE feed SET data = pseudonymise_event_data(data, account, emails, pseudonym)
    WHERE object_id = account.id AND EXISTS (SELECT FROM unnest(emails) one WHERE strpos(data::text, to_json(one)::text) > 0);
  END LOOP;
  RETURN NULL;
END $$;

SELECT begin_event_days(7);
