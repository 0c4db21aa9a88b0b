-- Passkeys (WebAuthn credentials). Rows of a user are written under the lock of that user.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  -- Chosen by the authenticator. Unique, so that a credential belongs to one account.
  credential_id bytea NOT NULL CONSTRAINT passkeys_of_one_account UNIQUE
    CONSTRAINT passkeys_credential_id_length CHECK (length(credential_id) BETWEEN 1 AND 1023),
  -- In COSE form.
  public_key bytea NOT NULL,
  algorithm integer NOT NULL,
  sign_count bigint NOT NULL,
  -- The domain that the credential is bound to. With another WEBAUTHN_RP_ID it works no longer.
  rp_id text NOT NULL,
  aaguid uuid NOT NULL,
  transports text[] NOT NULL,
  backup_eligible boolean NOT NULL,
  backed_up boolean NOT NULL,
  name text NOT NULL,
  -- Whether the passkey signs in without an email and a password. A security key that did not verify the user, or that
  -- stores no credential, is only a second factor (rules 34.13).
  signs_in boolean NOT NULL DEFAULT true,
  -- When its counter showed that it may have been copied.
  blocked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX passkeys_user ON passkeys (user_id, created_at);

-- Challenges that were used in a valid response. They are refused until they expire.
CREATE TABLE webauthn_challenges_used (
  digest bytea PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);

CREATE INDEX webauthn_challenges_used_expiry ON webauthn_challenges_used (expires_at);
