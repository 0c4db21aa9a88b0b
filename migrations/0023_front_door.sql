-- The browsers and networks from which an account was signed in to, for alerts of new ones (docs/rules/registration.md).
CREATE TABLE known_sign_ins (
  user_id uuid NOT NULL REFERENCES users (id),
  -- SHA-256 of the account, the browser's family and platform, and the network.
  digest bytea NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  CONSTRAINT known_sign_ins_pkey PRIMARY KEY (user_id, digest)
);

CREATE INDEX known_sign_ins_seen ON known_sign_ins (last_seen_at);

-- The sign-in provider with which a sign-in began whose second factor is missing.
ALTER TABLE two_factor_challenges ADD COLUMN provider text;

-- Finds the pending invitations to an address in all organizations.
CREATE INDEX user_invitations_pending_address ON user_invitations (email) WHERE accepted_at IS NULL AND NOT is_deleted;
