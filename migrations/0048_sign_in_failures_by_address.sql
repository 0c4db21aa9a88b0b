-- Of the failures of the current hour, how many came from each address, and when a sign-in was first refused in an hour. An
-- older instance leaves both as they are when a new hour begins, so an address may be refused early during a deployment.

ALTER TABLE sign_in_failures
  ADD COLUMN failures_by_address jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN refused_at timestamptz(3);
