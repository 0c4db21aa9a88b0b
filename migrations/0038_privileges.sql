-- Functions that run as their owner are not for everybody who may connect: `bun run migrate` grants the role of DATABASE_API_ROLE those that
-- the service calls (src/platform/db/grant.ts). Confirmations of a change of email are written by functions that take the digest of a token.
DO $$
DECLARE
  of_owner regprocedure;
BEGIN
  FOR of_owner IN SELECT oid FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', of_owner);
  END LOOP;
END $$;

-- Records that the holder of a token confirmed a pending change; false if there is no such change.
CREATE FUNCTION confirm_account_email(change uuid, digest text, session uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE email_changes SET
    old_confirmed_at = CASE WHEN old_token_hash = digest THEN COALESCE(old_confirmed_at, now()) ELSE old_confirmed_at END,
    new_confirmed_at = CASE WHEN new_token_hash = digest THEN COALESCE(new_confirmed_at, now()) ELSE new_confirmed_at END,
    session_id = CASE WHEN new_token_hash = digest AND new_confirmed_at IS NULL THEN session ELSE session_id END
  WHERE id = change AND digest IN (old_token_hash, new_token_hash)
    AND completed_at IS NULL AND canceled_at IS NULL AND expires_at > now();
  RETURN FOUND;
END $$;
REVOKE EXECUTE ON FUNCTION confirm_account_email FROM PUBLIC;

-- Ends a change whose email the account has by now, with the digest of the token that undoes it, and returns until when; null if
-- changes cannot be undone.
CREATE FUNCTION complete_account_email(change uuid, undo_digest text, undo_hours integer) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  result timestamptz;
BEGIN
  UPDATE email_changes c SET completed_at = now(), undo_token_hash = undo_digest,
    undo_until = CASE WHEN undo_digest IS NOT NULL THEN now() + make_interval(hours => undo_hours) END
  FROM users u
  WHERE c.id = change AND c.completed_at IS NULL AND c.canceled_at IS NULL AND u.id = c.user_id AND u.email = c.new_email
    AND c.new_confirmed_at IS NOT NULL AND (c.old_confirmed_at IS NOT NULL OR NOT c.needs_old)
  RETURNING c.undo_until INTO result;
  RETURN result;
END $$;
REVOKE EXECUTE ON FUNCTION complete_account_email FROM PUBLIC;

-- Undoes a completed change for the holder of its token; false if that is impossible. The function without the digest stays for instances of
-- the version before; the next release may drop it.
CREATE FUNCTION undo_account_email(change uuid, digest text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM email_changes WHERE id = change AND undo_token_hash = digest) AND undo_account_email(change);
END $$;
REVOKE EXECUTE ON FUNCTION undo_account_email(uuid, text) FROM PUBLIC;
