/* Pending invitations that are affected when members, organizations, roles or units are deleted. All writes are
   under the organization's lock. */

/* Returns the number of live members and valid invitations, including invitations by disabled service accounts.
   Checks once per inviter whether invitations are valid, because there are few inviters. */
/* @name countSeats */
SELECT (
  (SELECT COALESCE(sum(rows), 0) FROM counted_rows
    WHERE list = 'memberships' AND owner = :organizationId! AND part IS NULL)
  + (SELECT COALESCE(sum(pending.seats), 0)
    FROM (
      SELECT invited_by_id, invited_by_account_id, count(*) AS seats FROM user_invitations
      WHERE organization_id = :organizationId AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()
      GROUP BY invited_by_id, invited_by_account_id
    ) pending
    LEFT JOIN users inviter ON inviter.id = pending.invited_by_id AND NOT inviter.is_deleted
    LEFT JOIN service_accounts account ON account.id = pending.invited_by_account_id AND NOT account.is_deleted
    WHERE account.id IS NOT NULL OR inviter.is_platform_admin OR EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = inviter.id AND m.organization_id = :organizationId AND NOT m.is_deleted))
)::int AS "count!";

/* @name isUnitInvitedTo */
SELECT EXISTS (
  SELECT FROM user_invitation_assignments a JOIN pending_invitations i ON i.id = a.invitation_id
  WHERE a.unit_id = :unitId! AND i.is_valid
) AS "is_invited_to!";

/* @name isRoleInvitedTo */
SELECT EXISTS (
  SELECT FROM user_invitation_assignments a JOIN pending_invitations i ON i.id = a.invitation_id
  WHERE a.role_id = :roleId! AND i.is_valid AND i.organization_id = :organizationId!
) AS "is_invited_to!";

/* Ends the invitations of a member for good when the membership ends. Otherwise an invitation would work again
   after the inviter's return, possibly with more permissions than the inviter then has. */
/* @name expireInvitationsOfMember */
UPDATE user_invitations SET expires_at = now()
WHERE organization_id = ANY (:organizationIds!::uuid[]) AND invited_by_id = :userId! AND accepted_at IS NULL AND NOT is_deleted
  AND expires_at > now();

/* Expires the invitations that a user sent in organizations in which the user is not a live member. */
/* @name expireInvitationsOfPlatformAdmin */
UPDATE user_invitations i SET expires_at = now()
WHERE i.invited_by_id = :userId! AND i.accepted_at IS NULL AND NOT i.is_deleted AND i.expires_at > now()
  AND NOT EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = :userId AND m.organization_id = i.organization_id AND NOT m.is_deleted);

/* @name deleteInvitationsOfOrganization */
UPDATE user_invitations SET is_deleted = true, deleted_at = now()
WHERE organization_id = :organizationId! AND accepted_at IS NULL AND NOT is_deleted;
