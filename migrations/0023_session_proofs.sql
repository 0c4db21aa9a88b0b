-- How and when each session was proven: by password, provider or passkey, with how many factors (rules 33). Rows are written under
-- the lock of their user.
CREATE TABLE session_proofs (
  session_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  kind text NOT NULL CONSTRAINT session_proofs_kind_known CHECK (kind IN ('password', 'provider', 'passkey')),
  factors smallint NOT NULL CONSTRAINT session_proofs_factors_known CHECK (factors IN (1, 2)),
  -- The methods in the words of RFC 8176, as in the claim `amr`.
  amr text[] NOT NULL DEFAULT '{}',
  proved_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT session_proofs_one_of_a_kind PRIMARY KEY (session_id, kind)
);

CREATE INDEX session_proofs_time ON session_proofs (proved_at);
CREATE INDEX session_proofs_user ON session_proofs (user_id);

-- Live sessions get one proof, dated at their beginning or at their last re-authentication.
INSERT INTO session_proofs (session_id, user_id, kind, factors, amr, proved_at)
SELECT t.session_id, t.user_id,
  CASE WHEN u.password_hash IS NULL THEN 'provider' ELSE 'password' END,
  CASE WHEN u.two_factor_enabled_at <= t.session_started_at THEN 2 ELSE 1 END,
  CASE WHEN u.password_hash IS NULL THEN '{}'::text[] ELSE '{pwd}' END
    || CASE WHEN u.two_factor_enabled_at <= t.session_started_at THEN '{mfa}'::text[] ELSE '{}' END,
  GREATEST(t.session_started_at, r.reauthenticated_at)
FROM refresh_tokens t
JOIN users u ON u.id = t.user_id AND NOT u.is_deleted
LEFT JOIN reauthentications r ON r.session_id = t.session_id AND r.user_id = t.user_id
WHERE t.revoked_at IS NULL AND t.expires_at > now();

-- Proofs end with their session. A refresh deletes nothing, so it does not pay for this.
CREATE FUNCTION delete_proofs_of_ended_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM session_proofs p USING (SELECT DISTINCT session_id FROM ended) gone
  WHERE p.session_id = gone.session_id
    AND NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.session_id = gone.session_id);
  RETURN NULL;
END $$;
CREATE TRIGGER refresh_tokens_end_proofs AFTER DELETE ON refresh_tokens
REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION delete_proofs_of_ended_sessions();

-- The previous version still writes `reauthentications` while it runs beside the new one. The table goes with the next release.
CREATE FUNCTION copy_reauthentication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO session_proofs (session_id, user_id, kind, factors, amr, proved_at)
  SELECT NEW.session_id, NEW.user_id, CASE WHEN u.password_hash IS NULL THEN 'provider' ELSE 'password' END, 1, '{}', NEW.reauthenticated_at
  FROM users u WHERE u.id = NEW.user_id
  ON CONFLICT (session_id, kind) DO UPDATE SET proved_at = EXCLUDED.proved_at;
  RETURN NULL;
END $$;
CREATE TRIGGER reauthentications_are_proofs AFTER INSERT OR UPDATE ON reauthentications
FOR EACH ROW EXECUTE FUNCTION copy_reauthentication();

-- The first factor of a sign-in that waits for its second.
ALTER TABLE two_factor_challenges ADD COLUMN first_factor text NOT NULL DEFAULT 'password'
  CONSTRAINT two_factor_challenges_first_factor_known CHECK (first_factor IN ('password', 'provider'));
