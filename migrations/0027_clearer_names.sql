-- Replaces the names `begin_again` and `is_working`. Both stay for instances of the version before, as a rolling change runs both; the next release may drop them.

-- Aborts a transaction whose writes are pipelined with COMMIT: if one of them changes no row, although the rows that were read under
-- the lock require it, the transaction is retried (src/platform/db/transaction.ts).
CREATE FUNCTION raise_serialization_failure() RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'A pipelined write changed no row' USING ERRCODE = 'serialization_failure';
END $$;

-- Invitations that are neither accepted nor revoked. `is_valid`: the invitation has not expired, and its inviter still belongs to the
-- organization, as a platform administrator, a live member or a service account. A valid invitation occupies a seat, and its roles and
-- units are in use. `is_usable`: the invitation can be accepted now. A disabled service account suspends its invitations: they stay
-- valid but are not usable, so their seats, roles and units are not given to others meanwhile.
CREATE OR REPLACE VIEW pending_invitations AS
SELECT pending.*, pending.is_working AS is_usable
FROM (
  SELECT valid.*, valid.is_valid AND (valid.invited_by_account_id IS NULL OR valid.is_account_enabled AND EXISTS (
      SELECT FROM user_invitation_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted LEFT JOIN units u ON u.id = a.unit_id
      WHERE a.invitation_id = valid.id AND u.is_deleted IS NOT TRUE)) AS is_working
  FROM (
    SELECT i.*, inviter.email AS inviter_email, account.name AS inviter_account_name, account.is_enabled AS is_account_enabled,
      i.expires_at > now() AND (account.id IS NOT NULL OR (inviter.id IS NOT NULL AND (inviter.is_platform_admin OR EXISTS (
        SELECT FROM memberships m
        WHERE m.user_id = inviter.id AND m.organization_id = i.organization_id AND NOT m.is_deleted)))) AS is_valid
    FROM user_invitations i LEFT JOIN users inviter ON inviter.id = i.invited_by_id AND NOT inviter.is_deleted
    LEFT JOIN service_accounts account ON account.id = i.invited_by_account_id AND NOT account.is_deleted
    WHERE i.accepted_at IS NULL AND NOT i.is_deleted
  ) valid
) pending;
