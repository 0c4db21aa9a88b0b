DROP VIEW pending_invitations;

-- What is neither accepted nor revoked. `is_valid`: it has not expired, and its inviter still belongs to the organization, as a
-- platform administrator, a live member or a service account. A valid invitation occupies a seat, and its roles and units are in use.
-- `is_working`: it can be accepted now. A disabled service account suspends its invitations: they stay valid and do not work, so
-- enabling the account brings back nothing that was given away meanwhile.
CREATE VIEW pending_invitations AS
SELECT pending.*, pending.is_valid AND (pending.invited_by_account_id IS NULL OR pending.is_account_enabled AND EXISTS (
    SELECT FROM user_invitation_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted LEFT JOIN units u ON u.id = a.unit_id
    WHERE a.invitation_id = pending.id AND u.is_deleted IS NOT TRUE)) AS is_working
FROM (
  SELECT i.*, inviter.email AS inviter_email, account.name AS inviter_account_name, account.is_enabled AS is_account_enabled,
    i.expires_at > now() AND (account.id IS NOT NULL OR (inviter.id IS NOT NULL AND (inviter.is_platform_admin OR EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = inviter.id AND m.organization_id = i.organization_id AND NOT m.is_deleted)))) AS is_valid
  FROM user_invitations i LEFT JOIN users inviter ON inviter.id = i.invited_by_id AND NOT inviter.is_deleted
  LEFT JOIN service_accounts account ON account.id = i.invited_by_account_id AND NOT account.is_deleted
  WHERE i.accepted_at IS NULL AND NOT i.is_deleted
) pending;

-- Live service accounts as the API returns them. `unit_ids` has a null for each assignment in the whole organization, which is in no list of units.
CREATE VIEW live_service_accounts AS
SELECT s.id, s.organization_id, s.name, s.description, s.is_enabled, s.last_used_at, s.created_at, s.created_by_id,
  creator.email AS creator_email,
  ARRAY(SELECT a.unit_id FROM service_account_assignments a WHERE a.service_account_id = s.id) AS unit_ids,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, given.name)
      ORDER BY a.unit_id IS NOT NULL, r.name, given.name, a.id)
    FROM service_account_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units given ON given.id = a.unit_id
    WHERE a.service_account_id = s.id) AS assignments,
  (SELECT count(*)::int FROM api_keys k
    WHERE k.service_account_id = s.id AND k.revoked_at IS NULL AND k.replaced_by_id IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())) AS active_key_count
FROM service_accounts s LEFT JOIN users creator ON creator.id = s.created_by_id
WHERE NOT s.is_deleted;
