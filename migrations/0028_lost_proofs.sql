-- A session whose last proof was by a connection, and which loses it with the connection, the identity or the membership, has no proof at
-- all: it acts nowhere until it is proven anew. `session_proof` alone would take its beginning for a proof of the account's own.
CREATE OR REPLACE FUNCTION session_proofs_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE refresh_tokens SET proof = CASE
    WHEN TG_OP = 'DELETE' AND OLD.kind = 'sso' AND NOT EXISTS (SELECT FROM session_proofs p WHERE p.session_id = OLD.session_id) THEN '{}'
    ELSE session_proof(session_id, session_started_at) END
  WHERE session_id = COALESCE(NEW.session_id, OLD.session_id) AND revoked_at IS NULL AND expires_at > now();
  RETURN NULL;
END $$;
