-- no-transaction
-- Reads all accounts, beside whoever reads and writes them.
ALTER TABLE users VALIDATE CONSTRAINT users_email_is_one;
