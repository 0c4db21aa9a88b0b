/* The sign-on policies of organizations and their break-glass members. All writes are under the organization's lock, except of the
   session in which a break-glass member was last told of. */

/* Whether a break-glass member can act alone: a live member with a manual, organization-wide administrator role and a second factor.
   Platform administrators act in no organization as members. */
/* @fragment usable(listed) */
has_second_factor({listed}.user_id) AND EXISTS (
  SELECT FROM memberships m JOIN membership_assignments a ON a.membership_id = m.id
  JOIN users member ON member.id = m.user_id AND NOT member.is_platform_admin
  WHERE m.organization_id = {listed}.organization_id AND m.user_id = {listed}.user_id AND NOT m.is_deleted
    AND a.role_id = :adminRoleId! AND a.unit_id IS NULL AND a.source = 'manual');

/* Returns the stored policy: what holds now, and what is announced for later. */
/* @name findStoredPolicy */
SELECT p.version, p.updated_at, now.scope AS "scope!", now.require_two_factor AS "require_two_factor!",
  p.max_session_hours, p.reauthentication_minutes,
  CASE WHEN p.enforce_from > now() THEN p.announced_scope END AS "announced_scope?",
  CASE WHEN p.enforce_from > now() THEN p.announced_two_factor END AS "announced_two_factor?",
  CASE WHEN p.enforce_from > now() THEN p.enforce_from END AS "enforce_from?"
FROM sign_on_policies p JOIN sign_on_policy now ON now.organization_id = p.organization_id
WHERE p.organization_id = :organizationId!;

/* @name listBreakGlassMembers */
SELECT u.id, u.email, @usable(b) AS "is_usable!"
FROM break_glass_members b JOIN users u ON u.id = b.user_id
WHERE b.organization_id = :organizationId!
ORDER BY b.created_at, u.email;

/* Returns what the caller of a change has shown: whether a connection that is enabled was tested by the caller as it is, whether such a
   connection has a verified domain, whether two own factors were shown in the last ten minutes, and the factors that count here. */
/* @name findReadiness */
WITH tested AS (
  SELECT c.id FROM sso_connections c
  WHERE c.organization_id = :organizationId! AND c.status = 'ENABLED' AND NOT c.is_deleted AND EXISTS (
    SELECT FROM sso_tests t WHERE t.connection_id = c.id AND t.user_id = :userId! AND t.tested_version = c.tested_version
      AND t.passed_at > now() - interval '24 hours')
)
SELECT EXISTS (SELECT FROM tested) AS "is_tested!",
  EXISTS (SELECT FROM organization_domains d WHERE d.connection_id IN (SELECT id FROM tested) AND d.status = 'VERIFIED') AS "has_domain!",
  EXISTS (
    SELECT FROM session_proofs p
    WHERE p.session_id = :sessionId! AND p.kind <> 'sso' AND p.factors = 2 AND p.proved_at > now() - interval '10 minutes'
  ) AS "has_two_factors!",
  COALESCE((
    SELECT act.claims ->> 'acr' FROM refresh_tokens t, session_in_organization(:userId, :organizationId, t.proof, :ssoHours::int) act
    WHERE t.session_id = :sessionId AND t.user_id = :userId AND t.revoked_at IS NULL AND t.expires_at > now()
  ), '1') AS "acr!";

/* @name savePolicy */
INSERT INTO sign_on_policies (organization_id, scope, require_two_factor, announced_scope, announced_two_factor, enforce_from,
  max_session_hours, reauthentication_minutes)
VALUES (:organizationId!, :scope!, :requireTwoFactor!, :announcedScope, :announcedTwoFactor, :enforceFrom, :maxSessionHours,
  :reauthenticationMinutes)
ON CONFLICT (organization_id) DO UPDATE SET scope = EXCLUDED.scope, require_two_factor = EXCLUDED.require_two_factor,
  announced_scope = EXCLUDED.announced_scope, announced_two_factor = EXCLUDED.announced_two_factor,
  enforce_from = EXCLUDED.enforce_from, max_session_hours = EXCLUDED.max_session_hours,
  reauthentication_minutes = EXCLUDED.reauthentication_minutes, version = sign_on_policies.version + 1, updated_at = now(),
  reminded_at = CASE WHEN sign_on_policies.enforce_from IS NOT DISTINCT FROM EXCLUDED.enforce_from THEN sign_on_policies.reminded_at END;

/* @name replaceBreakGlassMembers */
WITH dropped AS (
  DELETE FROM break_glass_members WHERE organization_id = :organizationId! AND user_id <> ALL (:userIds!::uuid[])
)
INSERT INTO break_glass_members (organization_id, user_id)
SELECT :organizationId, unnest(:userIds::uuid[])
ON CONFLICT DO NOTHING;

/* Returns those of these users who are live members. */
/* @name listMembersAmong */
SELECT m.user_id FROM memberships m
WHERE m.organization_id = :organizationId! AND m.user_id = ANY (:userIds!::uuid[]) AND NOT m.is_deleted;

/* Returns those of these organizations that would have no usable break-glass member without this user, although they require their own
   sign-in of somebody or have announced it. */
/* @name listOrganizationsOfLastBreakGlass */
SELECT b.organization_id AS id FROM break_glass_members b
JOIN sign_on_policies p ON p.organization_id = b.organization_id
WHERE b.user_id = :userId! AND b.organization_id = ANY (:organizationIds!::uuid[]) AND @usable(b)
  AND @asked_now_or_later(p)
  AND NOT EXISTS (
    SELECT FROM break_glass_members other
    WHERE other.organization_id = b.organization_id AND other.user_id <> b.user_id AND @usable(other));

/* Returns the organizations that require their own sign-in, or have announced it, and in which this user is a break-glass member without a
   second factor. */
/* @name listOrganizationsOfBreakGlass */
SELECT b.organization_id AS id FROM break_glass_members b
JOIN sign_on_policies p ON p.organization_id = b.organization_id
JOIN organizations o ON o.id = b.organization_id AND NOT o.is_deleted
WHERE b.user_id = :userId! AND NOT has_second_factor(b.user_id)
  AND @asked_now_or_later(p);

/* @name deletePolicy */
WITH listed AS (DELETE FROM break_glass_members WHERE organization_id = :organizationId!)
DELETE FROM sign_on_policies WHERE organization_id = :organizationId;

/* Records the session in which a break-glass member acts. No row if it was recorded before: each session is told once. The member may
   use several in turn, so a session that is not the last is looked up in the audit log. */
/* @name recordBreakGlassUse */
UPDATE break_glass_members SET last_session_id = :sessionId!
WHERE organization_id = :organizationId! AND user_id = :userId! AND last_session_id IS DISTINCT FROM :sessionId
  AND NOT EXISTS (
    SELECT FROM audit_events e
    WHERE e.action = 'BREAK_GLASS_USED' AND e.organization_id = :organizationId AND e.target_id = :userId
      AND e.metadata ->> 'sessionId' = :sessionId::text)
RETURNING user_id;

/* The members who could not act under a policy of this scope, as things stand. */
/* @list affectedMembers from memberships m by id */
/* @columns */ m.user_id, u.email, u.first_name, u.last_name, u.language,
  sign_on_obstacles(m.organization_id, m.user_id, :scope!, :requireTwoFactor!) AS "reasons!"
/* @join */ JOIN users u ON u.id = m.user_id
/* @where */ m.organization_id = :organizationId! AND NOT m.is_deleted
  AND cardinality(sign_on_obstacles(m.organization_id, m.user_id, :scope!, :requireTwoFactor!)) > 0
/* @if search */ search_finds(m.search_text, :search)
/* @if reason */ sign_on_obstacles(m.organization_id, m.user_id, :scope!, :requireTwoFactor!) && :reason
/* @sort lastName */ m.sort_name COLLATE natural_order
/* @sort email */ m.sort_email;

/* Returns some of the members who could not act under the announced policy, after a user. */
/* @name listAffectedAfter */
SELECT m.user_id, u.email, u.language, o.name AS organization_name,
  sign_on_obstacles(m.organization_id, m.user_id, :scope!, :requireTwoFactor!) AS "reasons!"
FROM memberships m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id
WHERE m.organization_id = :organizationId! AND NOT m.is_deleted AND m.user_id > :afterId!
  AND cardinality(sign_on_obstacles(m.organization_id, m.user_id, :scope, :requireTwoFactor)) > 0
ORDER BY m.user_id LIMIT :max!;

/* Returns the organizations whose policy will be in effect in less than a day and of which nobody was reminded. */
/* @name listDueReminders */
SELECT organization_id FROM sign_on_policies
WHERE reminded_at IS NULL AND enforce_from > now() AND enforce_from < now() + interval '1 day';

/* Takes the reminder of an organization, if it is still due. */
/* @name takeReminder */
UPDATE sign_on_policies SET reminded_at = now()
WHERE organization_id = :organizationId! AND reminded_at IS NULL AND enforce_from > now() AND enforce_from < now() + interval '1 day'
RETURNING organization_id, announced_scope AS "scope!", announced_two_factor AS "require_two_factor!", enforce_from AS "enforce_from!";

/* Whether inviting this address is refused, because the organization shuts it out or has announced that it will. */
/* @name isAddressShutOut */
SELECT EXISTS (
  SELECT FROM sign_on_policies p WHERE p.organization_id = :organizationId!
    AND (p.announced_scope = 'everyone' OR p.scope = 'everyone' AND (p.enforce_from > now()) IS NOT FALSE)
) AND NOT EXISTS (
  SELECT FROM organization_domains d WHERE d.organization_id = :organizationId AND d.domain = split_part(:email!, '@', 2)
    AND d.status IN ('VERIFIED', 'LAPSED')
) AS "is_shut_out!";

/* Returns the organizations that require their own sign-in or a second factor, now or from an announced time on. */
/* @name listPolicies */
SELECT o.name, p.scope, p.require_two_factor, p.announced_scope AS "announced_scope?",
  p.announced_two_factor AS "announced_two_factor?", p.enforce_from AS "enforce_from?"
FROM sign_on_policies p JOIN organizations o ON o.id = p.organization_id AND NOT o.is_deleted
WHERE p.scope <> 'off' OR p.require_two_factor OR p.enforce_from IS NOT NULL ORDER BY o.name, o.id;
