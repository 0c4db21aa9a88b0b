-- The grants of a person, ended or not: for lists, the export and the deletion of the account.
DROP INDEX oauth_grants_ended_of_user;
DROP INDEX oauth_grants_user;
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, created_at, id);

-- The grants that a daily job deletes although nobody ended them: they expired, or were never redeemed.
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at) WHERE ended_at IS NULL;
CREATE INDEX oauth_grants_unredeemed ON oauth_grants (created_at) WHERE redeemed_at IS NULL AND ended_at IS NULL;
