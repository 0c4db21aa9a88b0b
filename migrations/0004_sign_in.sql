-- Sessions and their proofs, failed sign-ins, the second factor and linked identities. Rows of a user are written under the lock of that
-- user (src/core/locks.ts). Only users.two_factor_enabled_at says whether the second factor is on.

-- One row for each refresh token ever issued; the rows of one session share session_id.
CREATE TABLE refresh_tokens (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  session_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the token, in hexadecimal. The token itself is never stored.
  token_hash text NOT NULL CONSTRAINT refresh_tokens_token_hash_unique UNIQUE,
  organization_id uuid,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  -- The row of the rotation that revoked this token. No foreign key: rows are only deleted
  -- together with the rest of their session, or long after they expired.
  replaced_by_id uuid CONSTRAINT refresh_tokens_one_successor UNIQUE,
  session_started_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The claims of the session's proofs (session_proof), so that a refresh need not read the proofs.
  proof jsonb,
  -- Whether the insert records the activity of the member: not if the replaced token was issued for the same organization and day (UTC).
  records_activity boolean NOT NULL DEFAULT true,
  ip text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT refresh_tokens_replaced_when_revoked CHECK (replaced_by_id IS NULL OR revoked_at IS NOT NULL)
);

CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE UNIQUE INDEX refresh_tokens_one_live_per_session ON refresh_tokens (session_id) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_organization ON refresh_tokens (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

-- A sign-in finds expired tokens, and the sessions beyond the limit, without reading all tokens that the user ever had.
CREATE INDEX refresh_tokens_user_expiry ON refresh_tokens (user_id, expires_at);
CREATE INDEX refresh_tokens_user_live ON refresh_tokens (user_id, created_at DESC, id DESC) WHERE revoked_at IS NULL;

-- How and when each session was proven: by password, provider or passkey, with how many factors (rules 33).
CREATE TABLE session_proofs (
  -- No foreign key, because a session is several rows.
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

-- Returns the newest time, the most factors and the methods of all proofs of a session. Without a proof it returns the beginning of the
-- session. VOLATILE, so that a refresh reads what was committed while it waited for the lock of the user.
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

-- Deletes the proofs of a session with its last token. A trigger on DELETE costs a refresh nothing, because a refresh deletes no row.
CREATE FUNCTION delete_proofs_of_ended_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM session_proofs p USING (SELECT DISTINCT session_id FROM ended) gone
  WHERE p.session_id = gone.session_id
    AND NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.session_id = gone.session_id);
  RETURN NULL;
END $$;

CREATE TRIGGER refresh_tokens_end_proofs AFTER DELETE ON refresh_tokens
REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION delete_proofs_of_ended_sessions();

-- Failed sign-ins by email in the current hour, whether or not an account has that email: a limit on accounts only would tell which
-- emails have one. The table stores a digest, so no address that was merely typed is kept.
CREATE TABLE sign_in_failures (
  email_digest text PRIMARY KEY,
  failures integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The IP address from which the password was reset. It counts as the owner's address before the first sign-in with the new password.
  known_address text,
  -- How many of the failures came from each address.
  failures_by_address jsonb NOT NULL DEFAULT '{}',
  -- When a sign-in was first refused in this hour.
  refused_at timestamptz(3)
);

CREATE INDEX sign_in_failures_started ON sign_in_failures (started_at);

-- Failed attempts of an account. Each place is counted separately, so that somebody who knows a password cannot keep its owner from
-- changing it. EMAIL_CHANGE: refused requests of a change of email, which count among the five a day of a user (rules 35.1).
CREATE TABLE failed_attempts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  place text NOT NULL CONSTRAINT failed_attempts_place_known CHECK (place IN ('SIGN_IN', 'PROFILE', 'EMAIL_CHANGE')),
  failed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX failed_attempts_user ON failed_attempts (user_id, place, failed_at);
CREATE INDEX failed_attempts_age ON failed_attempts (failed_at);

-- The secret that is shared with an authenticator app. It has no effect until its first code is verified.
CREATE TABLE two_factor_secrets (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  -- Encrypted with TWO_FACTOR_ENCRYPTION_KEY; begins with the name of that key.
  sealed_secret text NOT NULL,
  -- The period of 30 seconds of the last accepted code. Codes of this period and of earlier ones are refused.
  last_step bigint,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE two_factor_recovery_codes (
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the code, in hexadecimal. It is checked without a key, so recovery codes work even if TWO_FACTOR_ENCRYPTION_KEY is lost.
  code_hash text NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT two_factor_recovery_codes_once PRIMARY KEY (user_id, code_hash)
);

-- A sign-in that waits for its second factor. It is deleted once that factor is verified, and by every change that makes the first factor
-- doubtful, such as a new password.
CREATE TABLE two_factor_challenges (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the token, in hexadecimal.
  token_hash text NOT NULL CONSTRAINT two_factor_challenges_token_hash_unique UNIQUE,
  first_factor text NOT NULL DEFAULT 'password'
    CONSTRAINT two_factor_challenges_first_factor_known CHECK (first_factor IN ('password', 'provider')),
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX two_factor_challenges_user ON two_factor_challenges (user_id);
CREATE INDEX two_factor_challenges_expiry ON two_factor_challenges (expires_at);

-- Identities of a sign-in provider that are linked to an account.
CREATE TABLE user_identities (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  -- The key of the provider in the configuration at the time of linking; routes name an identity by it.
  provider text NOT NULL,
  -- Issuer and subject: the provider guarantees that they identify one person for ever. Emails can change hands, so no account is found by one.
  issuer text NOT NULL,
  subject text NOT NULL,
  -- The email that the provider stated at the time of linking, shown to the account's owner; null if it stated none.
  email text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_identities_of_one_account UNIQUE (issuer, subject),
  CONSTRAINT user_identities_one_of_a_provider UNIQUE (user_id, provider)
);
