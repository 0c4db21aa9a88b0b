-- What a role that owns nothing could do to events by way of pseudonyms, which replace in them what it said was an email.

-- It chose the search path, and so a table of its own in the place of pg_class, and it could delete an account and add it again.
CREATE OR REPLACE FUNCTION users_keep_email() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'The email of an account is not changed' USING ERRCODE = 'insufficient_privilege';
END $$;
DROP TRIGGER users_keep_email ON users;
CREATE TRIGGER users_keep_email BEFORE UPDATE OF id, email ON users
FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.id <> NEW.id) EXECUTE FUNCTION users_keep_email();
CREATE TRIGGER users_stay BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION users_keep_email();

ALTER FUNCTION refuse_change_of_append_only_table() SET search_path = pg_catalog, public, pg_temp;
ALTER FUNCTION refuse_other_change_of_event() SET search_path = pg_catalog, public, pg_temp;

-- Any other word of an event could be given as an email. 0044 checks the accounts that are there.
ALTER TABLE users ADD CONSTRAINT users_email_is_one CHECK (email ~ '^[^@[:space:]]+@[^@[:space:]]+$') NOT VALID;
