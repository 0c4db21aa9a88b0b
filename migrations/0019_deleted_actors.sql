-- Emails of deleted accounts are searched too: the audit log goes on showing who did what.
CREATE INDEX users_email_search_all ON users USING gin (email gin_trgm_ops);
DROP INDEX users_email_search;
