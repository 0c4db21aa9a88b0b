-- What a refresh would otherwise look up or write at each rotation, kept in the row of the token.

-- The claims of the proofs of the session, set by a trigger. Null in rows from before this migration, and in those that a refresh by a
-- server of the previous version writes: the next refresh sets them.
ALTER TABLE refresh_tokens ADD COLUMN proof jsonb;

-- Whether the insert records the activity of the member: not if the replaced token was issued for the same organization and day (UTC).
ALTER TABLE refresh_tokens ADD COLUMN records_activity boolean NOT NULL DEFAULT true;

-- The newest time, the most factors and the methods of all proofs of a session. A session that a version before proofs began has
-- only its time. VOLATILE, so that a refresh reads what was committed while it waited for the lock of the user.
CREATE FUNCTION session_proof(of_session_id uuid, started_at timestamptz) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT jsonb_build_object(
    'auth_time', floor(extract(epoch FROM COALESCE(max(p.proved_at), started_at)))::bigint,
    'acr', COALESCE(max(p.factors), 1)::text,
    'amr', ARRAY(
      SELECT method FROM session_proofs s, unnest(s.amr) WITH ORDINALITY shown (method, nth)
      WHERE s.session_id = of_session_id
      GROUP BY method ORDER BY min(s.proved_at), min(nth)))
  FROM session_proofs p WHERE p.session_id = of_session_id
$$;

CREATE FUNCTION session_proofs_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE refresh_tokens SET proof = session_proof(session_id, session_started_at)
  WHERE session_id = COALESCE(NEW.session_id, OLD.session_id) AND revoked_at IS NULL AND expires_at > now();
  RETURN NULL;
END $$;
CREATE TRIGGER session_proofs_changed AFTER INSERT OR UPDATE OR DELETE ON session_proofs
FOR EACH ROW EXECUTE FUNCTION session_proofs_changed();

-- PostgreSQL parses the condition of a trigger at each statement, so it is a single column.
CREATE OR REPLACE FUNCTION refresh_tokens_record_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO member_activity (organization_id, user_id, day)
  SELECT NEW.organization_id, NEW.user_id, (NEW.created_at AT TIME ZONE 'UTC')::date WHERE NEW.organization_id IS NOT NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER refresh_tokens_record_activity AFTER INSERT ON refresh_tokens
FOR EACH ROW WHEN (NEW.records_activity) EXECUTE FUNCTION refresh_tokens_record_activity();
