-- Failed sign-ins by email within the current hour, whether or not an account has that email: a limit on accounts alone would
-- tell which ones exist. The digest keeps addresses that were merely typed out of the table.

CREATE TABLE sign_in_failures (
  email_digest text PRIMARY KEY,
  failures integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  -- From where the password was reset: the owner's address before the first sign-in with the new one.
  known_address text
);

CREATE INDEX sign_in_failures_started ON sign_in_failures (started_at);

-- The digest of the hash before and the hash after a renewal: a proof of the same password, begun with the former, still holds.
ALTER TABLE users ADD COLUMN password_renewal text;
