/* Pending invitations that are affected when members, organizations, roles or units are deleted. All writes are
   under the organization's lock. */

/* Returns the number of live members and usable invitations (`is_usable` of pending_invitations). Checks inviters once
   each, because there are few, and invited roles only of invitations by service accounts. */
/* @name countSeats */
SELECT (
  (SELECT COALESCE(sum(rows), 0) FROM counted_rows
    WHERE list = 'memberships' AND owner = :organizationId! AND part IS NULL)
  + (SELECT COALESCE(sum(pending.seats), 0)
    FROM (
      SELECT invited_by_id, invited_by_account_id, count(*) FILTER (WHERE invited_by_account_id IS NULL OR EXISTS (
        SELECT FROM user_invitation_assignments a
        JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
        LEFT JOIN units u ON u.id = a.unit_id
        WHERE a.invitation_id = i.id AND u.is_deleted IS NOT TRUE)) AS seats
      FROM user_invitations i
      WHERE organization_id = :organizationId AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()
      GROUP BY invited_by_id, invited_by_account_id
    ) pending
    LEFT JOIN users inviter ON inviter.id = pending.invited_by_id AND NOT inviter.is_deleted
    LEFT JOIN service_accounts account ON account.id = pending.invited_by_account_id AND account.is_enabled AND NOT account.is_deleted
    WHERE account.id IS NOT NULL OR inviter.is_platform_admin OR EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = inviter.id AND m.organization_id = :organizationId AND NOT m.is_deleted))
)::int AS "count!";

/* Finds an invitation to an address that can be accepted, into any organization. */
/* @name findUsableInvitation */
SELECT i.id AS "id!" FROM pending_invitations i JOIN organizations o ON o.id = i.organization_id AND NOT o.is_deleted
WHERE i.email = :email! AND i.is_usable LIMIT 1;

/* @name isUnitInvitedTo */
SELECT EXISTS (
  SELECT FROM user_invitation_assignments a JOIN pending_invitations i ON i.id = a.invitation_id
  WHERE a.unit_id = :unitId! AND i.is_usable
) AS "is_invited_to!";

/* @name isRoleInvitedTo */
SELECT EXISTS (
  SELECT FROM user_invitation_assignments a JOIN pending_invitations i ON i.id = a.invitation_id
  WHERE a.role_id = :roleId! AND i.is_usable AND i.organization_id = :organizationId!
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

/* Frees the seats of a service account's invitations when it is disabled. */
/* @name freeSeatsOfAccounts */
UPDATE user_invitations SET without_seat = without_seat + tstzmultirange(tstzrange(now(), NULL))
WHERE organization_id = :organizationId! AND invited_by_account_id = ANY (:accountIds!::uuid[]) AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now();

/* Takes these seats again when the service account is enabled. An invitation of which nothing is left stays without. */
/* @name takeSeatsOfAccount */
UPDATE user_invitations i SET without_seat = without_seat * tstzmultirange(tstzrange(NULL, now()))
WHERE organization_id = :organizationId! AND invited_by_account_id = :accountId! AND accepted_at IS NULL AND NOT is_deleted AND upper_inf(without_seat) AND EXISTS (
  SELECT FROM user_invitation_assignments a
  JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
  LEFT JOIN units u ON u.id = a.unit_id
  WHERE a.invitation_id = i.id AND u.is_deleted IS NOT TRUE);
