/* Invitations. Every write is made under the organization's lock. In addition, every write requires that the
   invitation is still pending, so that a missing lock cannot corrupt data. */

/* The invited roles that can still be assigned: neither the role nor its unit is deleted. */
/* @fragment invited_roles(invitation) */
SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, u.name)
  ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.id)
FROM user_invitation_assignments a
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE a.invitation_id = {invitation}.id AND u.is_deleted IS NOT TRUE;

/* Lists pending invitations. With `units`, returns only the invitations whose assignments are all in these units;
   an assignment for the whole organization is in no unit. */
/* @list invitations from user_invitations i by id */
/* @columns */ i.id AS "id!", i.organization_id AS "organization_id!", i.email AS "email!", i.language AS "language!",
  i.invited_by_id, i.inviter_email, i.invited_by_account_id, i.inviter_account_name, i.expires_at AS "expires_at!", i.last_sent_at AS "last_sent_at!",
  i.created_at AS "created_at!", i.is_usable AS "is_usable!", @invited_roles(i) AS assignments
/* @rows */ pending_invitations i
/* @where */ i.organization_id = :organizationId! AND i.accepted_at IS NULL AND NOT i.is_deleted
/* @if units */ @invited(i, :units)
/* @if search */ search_finds(i.search_email, :search)
/* @sort createdAt */ i.created_at
/* @sort email */ i.email COLLATE "C"
/* @first by createdAt desc */;

/* @name findInvitation */
SELECT i.id AS "id!", i.organization_id AS "organization_id!", i.email AS "email!", i.language AS "language!",
  i.invited_by_id, i.inviter_email, i.invited_by_account_id, i.inviter_account_name, i.expires_at AS "expires_at!", i.last_sent_at AS "last_sent_at!",
  i.created_at AS "created_at!", i.is_usable AS "is_usable!", @invited_roles(i) AS assignments,
  i.last_sent_at > now() - make_interval(secs => :resendAfterSeconds!) AS "is_just_sent!"
FROM pending_invitations i
WHERE i.id = :id! AND i.organization_id = :organizationId!
  AND (:units::uuid[] IS NULL OR @invited(i, :units));

/* Lists the pending invitations of an email address, each with its units and a flag for organization-wide roles.
   The flag is not a null in the array, because some drivers cannot read nulls in arrays. */
/* @name findPendingByEmail */
SELECT i.id AS "id!", i.is_usable AS "is_usable!",
  ARRAY(
    SELECT a.unit_id FROM user_invitation_assignments a WHERE a.invitation_id = i.id AND a.unit_id IS NOT NULL
  ) AS "unit_ids!",
  EXISTS (
    SELECT FROM user_invitation_assignments a WHERE a.invitation_id = i.id AND a.unit_id IS NULL
  ) AS "is_for_organization!"
FROM pending_invitations i
WHERE i.organization_id = :organizationId! AND i.email COLLATE "C" = :email!
ORDER BY i.created_at DESC;

/* Returns the invited roles that can still be assigned, with their permissions. */
/* @name listInvitedRoles */
SELECT a.role_id, r.name AS role_name, r.permissions, a.unit_id, u.name AS "unit_name?"
FROM user_invitations i
JOIN user_invitation_assignments a ON a.invitation_id = i.id
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE i.id = :id! AND i.organization_id = :organizationId! AND u.is_deleted IS NOT TRUE
ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.id;

/* Returns all units of an invitation, including deleted units. */
/* @name listInvitedUnits */
SELECT a.unit_id FROM user_invitations i JOIN user_invitation_assignments a ON a.invitation_id = i.id
WHERE i.id = :id! AND i.organization_id = :organizationId!;

/* @name findInvitationByToken */
SELECT i.email AS "email!", i.expires_at AS "expires_at!", o.name AS organization_name, o.status,
  EXISTS (
    SELECT FROM email_changes c
    WHERE c.old_email = i.email AND c.completed_at > i.created_at AND c.old_confirmed_at IS NOT NULL AND c.undone_at IS NULL
  ) AS "is_of_former_email!"
FROM pending_invitations i JOIN organizations o ON o.id = i.organization_id AND NOT o.is_deleted
WHERE i.token_hash = :tokenHash! AND i.is_usable;

/* Returns everything that is needed to accept the invitation with this token. Returns one row for each invited
   role, with flags whether role and unit still exist; one row with null columns if the invitation has no roles.
   Also returns the user's email, and whether the user is a live member already. */
/* @name listInvitedByToken */
SELECT i.id AS "id!", i.organization_id AS "organization_id!", i.email AS "email!", i.language AS "language!",
  i.invited_by_id, i.inviter_email, i.invited_by_account_id, i.inviter_account_name, i.expires_at AS "expires_at!",
  i.last_sent_at AS "last_sent_at!", i.created_at AS "created_at!", i.is_usable AS "is_usable!", o.status, o.default_role_id,
  accepting.email AS "user_email?", EXISTS (
    SELECT FROM email_changes c
    WHERE c.user_id = :userId::uuid AND c.old_email = i.email AND c.completed_at > i.created_at
      AND c.old_confirmed_at IS NOT NULL AND c.undone_at IS NULL
  ) AS "is_of_former_email!", EXISTS (
    SELECT FROM memberships m
    WHERE m.organization_id = i.organization_id AND m.user_id = :userId::uuid AND NOT m.is_deleted
  ) AS "is_member!",
  r.id AS "role_id?", r.name AS "role_name?", a.unit_id AS "unit_id?", u.name AS "unit_name?",
  NOT r.is_deleted AND u.is_deleted IS NOT TRUE AS "exists?"
FROM pending_invitations i
JOIN organizations o ON o.id = i.organization_id AND NOT o.is_deleted
LEFT JOIN users accepting ON accepting.id = :userId AND NOT accepting.is_deleted
LEFT JOIN user_invitation_assignments a ON a.invitation_id = i.id
LEFT JOIN roles r ON r.id = a.role_id
LEFT JOIN units u ON u.id = a.unit_id
WHERE i.token_hash = :tokenHash! AND i.is_usable
ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.id;

/* Returns what the transaction needs before it inserts an invitation: the id; name and language of the inviter, which are null for a
   service account or a deleted account. */
/* @name prepareInvitation */
SELECT uuidv7() AS "id!", inviter.first_name AS "first_name?", inviter.last_name AS "last_name?", inviter.language AS "language?"
FROM (VALUES (:inviterId!::uuid)) asking (id)
LEFT JOIN users inviter ON inviter.id = asking.id AND NOT inviter.is_deleted;

/* Inserts an invitation with its roles, and queues its first mail for `mailAt` or now. The mail counts for the hourly limits from `countsAt` or
   now. */
/* @name insertInvitation */
WITH invitation AS (
  INSERT INTO user_invitations (id, organization_id, email, language, token_hash, expires_at, invited_by_id, invited_by_account_id)
  VALUES (:id!, :organizationId!, :email!, :language!, :tokenHash!, now() + make_interval(days => :lifetimeDays!), :invitedById, :invitedByAccountId)
  RETURNING id, organization_id, email
), released AS (
  UPDATE user_invitation_sends SET mail_at = NULL, waits = false
  WHERE organization_id = :organizationId AND email = :email AND waits
), send AS (
  INSERT INTO user_invitation_sends (organization_id, email, sent_at, mail_at, waits)
  SELECT organization_id, email, COALESCE(:countsAt::timestamptz, now()), COALESCE(:mailAt::timestamptz, now()), :mailAt IS NOT NULL FROM invitation
)
INSERT INTO user_invitation_assignments (invitation_id, role_id, unit_id)
SELECT invitation.id, given.role_id, given.unit_id
FROM invitation, unnest(:roleIds!::uuid[], :unitIds!::uuid[]) AS given (role_id, unit_id);

/* Queues a mail of an invitation for `mailAt` or now. Replaces a waiting mail of the organization to the same
   address. */
/* @name insertSend */
WITH released AS (
  UPDATE user_invitation_sends SET mail_at = NULL, waits = false
  WHERE organization_id = :organizationId! AND email = :email! AND waits
)
INSERT INTO user_invitation_sends (organization_id, email, mail_at, waits)
VALUES (:organizationId, :email, COALESCE(:mailAt::timestamptz, now()), :mailAt IS NOT NULL);

/* Returns whether and when another invitation mail may be sent.
   - `free_at`, `seconds_left`: when no hourly limit prevents another mail, and the seconds until then; null if no limit is reached. A
     limit ends when its oldest counted mail leaves its window. Mails that wait for the next hours count in the hour in which they are sent.
   - `has_place`: whether a mail of the organization to this address is waiting.
   - `mail_at`: when the mail may be sent by the daily limit; null if it may be sent now. If a mail of the organization to this address
     is waiting, it is the time of that mail. Otherwise it is :overallSeconds after the oldest mail counted by that
     limit, which counts waiting mails too.

   Uses clock_timestamp(): mails that were sent while this transaction waited for its locks are later than its
   now(). */
/* @name findSendLimits */
SELECT hourly.free_at AS "free_at?",
  CASE WHEN hourly.free_at IS NOT NULL THEN GREATEST(ceil(extract(epoch FROM hourly.free_at - clock_timestamp())), 1)::int END AS "seconds_left?",
  place.mail_at IS NOT NULL AS "has_place!",
  CASE WHEN COALESCE(place.mail_at, daily.mail_at) > clock_timestamp() THEN COALESCE(place.mail_at, daily.mail_at) END AS "mail_at?"
FROM (
  SELECT max(reached.free_at) AS free_at
  FROM (
    (SELECT sent_at + make_interval(secs => :ofOrganizationSeconds!) AS free_at FROM user_invitation_sends
     WHERE organization_id = :organizationId! AND sent_at > now() - make_interval(secs => :ofOrganizationSeconds)
     ORDER BY sent_at DESC OFFSET :ofOrganization!::int - 1 LIMIT 1)
    UNION ALL
    (SELECT sent_at + make_interval(secs => :toAddressSeconds!) FROM user_invitation_sends
     WHERE email = :email! AND organization_id = :organizationId AND sent_at > now() - make_interval(secs => :toAddressSeconds)
     ORDER BY sent_at DESC OFFSET :toAddress!::int - 1 LIMIT 1)
  ) reached
) hourly
CROSS JOIN (
  SELECT max(mail_at) AS mail_at FROM user_invitation_sends
  WHERE email = :email AND organization_id = :organizationId AND waits
) place
CROSS JOIN (
  SELECT (
    SELECT mail_at + make_interval(secs => :overallSeconds!) FROM user_invitation_sends
    WHERE email = :email AND mail_at > clock_timestamp() - make_interval(secs => :overallSeconds)
    ORDER BY mail_at DESC OFFSET :overall!::int - 1 LIMIT 1) AS mail_at
) daily;

/* Counts the mails of an organization that wait, up to :max. */
/* @name countWaitingSends */
SELECT count(*)::int AS "count!"
FROM (SELECT FROM user_invitation_sends WHERE organization_id = :organizationId! AND waits LIMIT :max!::int) waiting;

/* Returns the waiting invitation mails that are due. Mails of a suspended organization wait until it is active
   again; mails of a disabled service account until it is enabled. */
/* @name listDueSends */
SELECT s.id, s.organization_id
FROM user_invitation_sends s
JOIN organizations o ON o.id = s.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
WHERE s.waits AND s.mail_at <= now() AND NOT EXISTS (
  SELECT FROM pending_invitations p
  WHERE p.organization_id = s.organization_id AND p.email COLLATE "C" = s.email AND p.is_valid AND NOT p.is_usable)
ORDER BY s.mail_at LIMIT :max!;

/* Gives an invitation a new link for a due mail, and returns the contents of the mail. Returns no row if the mail
   was replaced or the invitation has ended. Call under the organization's lock. */
/* @name renewDueInvitation */
WITH due AS (
  UPDATE user_invitation_sends s SET waits = false
  WHERE s.id = :id! AND s.waits AND s.mail_at <= now() AND NOT EXISTS (
    SELECT FROM pending_invitations p
    WHERE p.organization_id = s.organization_id AND p.email COLLATE "C" = s.email AND p.is_valid AND NOT p.is_usable)
  RETURNING organization_id, email
)
UPDATE user_invitations i
SET token_hash = :tokenHash!, last_sent_at = now(), expires_at = now() + make_interval(days => :lifetimeDays!)
FROM organizations o
WHERE i.id = (
    SELECT p.id FROM due JOIN pending_invitations p
      ON p.organization_id = due.organization_id AND p.email COLLATE "C" = due.email
    WHERE p.is_usable ORDER BY p.created_at DESC LIMIT 1)
  AND o.id = i.organization_id
RETURNING i.email, i.language, o.name AS organization_name,
  (SELECT concat_ws(' ', inviter.first_name, inviter.last_name) FROM users inviter WHERE inviter.id = i.invited_by_id) AS "inviter_name?";

/* Deletes records of invitation mails. A waiting mail is kept as long as its invitation: that of a suspended
   organization may wait for days. */
/* @name deleteOldSends */
DELETE FROM user_invitation_sends WHERE id IN (
  SELECT id FROM user_invitation_sends
  WHERE sent_at < now() - interval '1 day' AND COALESCE(mail_at, sent_at) < now() - interval '1 day'
    AND (NOT waits OR sent_at < now() - interval '7 days') LIMIT :max!)
RETURNING id;

/* Renews an invitation that is sent again; until now it held no seat if it had expired. If `tokenHash` is null, the previous link keeps working until the mail
   with the new link may be sent. */
/* @name markInvitationSent */
UPDATE user_invitations
SET token_hash = COALESCE(:tokenHash, token_hash), last_sent_at = now(), expires_at = now() + make_interval(days => :lifetimeDays!), invited_by_id = :invitedById,
  invited_by_account_id = :invitedByAccountId,
  without_seat = (without_seat + tstzmultirange(tstzrange(LEAST(expires_at, now()), NULL))) * tstzmultirange(tstzrange(NULL, now()))
WHERE id = :id! AND organization_id = :organizationId! AND accepted_at IS NULL AND NOT is_deleted
  AND last_sent_at <= now() - make_interval(secs => :resendAfterSeconds!)
RETURNING id;

/* Marks an invitation as accepted. Returns no row if it can no longer be accepted. */
/* @name markInvitationAccepted */
UPDATE user_invitations SET accepted_at = now(), accepted_user_id = :userId!
WHERE token_hash = :tokenHash! AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()
RETURNING id;

/* @name deleteInvitations */
UPDATE user_invitations SET is_deleted = true, deleted_at = now()
WHERE id = ANY (:ids!::uuid[]) AND organization_id = :organizationId! AND accepted_at IS NULL AND NOT is_deleted
RETURNING id;

/* Returns the open invitations to the user's email. The condition with search_fold lets the trigram index find
   them. */
/* @name exportInvitations */
SELECT i.id, i.organization_id, o.name AS organization_name, i.language, i.created_at AS "created_at!",
  i.last_sent_at AS "last_sent_at!", i.expires_at AS "expires_at!"
FROM user_invitations i
JOIN organizations o ON o.id = i.organization_id AND NOT o.is_deleted
WHERE i.accepted_at IS NULL AND NOT i.is_deleted AND i.email = :email!
  AND search_fold(i.email) LIKE search_pattern(:email)
  AND (i.created_at, i.id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY i.created_at, i.id
LIMIT :limit!;
