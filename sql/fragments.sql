/* Conditions and subqueries that several queries share. A query includes one as @name(arguments); `bun run queries` puts its text
   there. A function of PostgreSQL would not do: one with a subquery is not inlined, so no index could serve it. */

/* @fragment live(organization) */
EXISTS (SELECT FROM organizations living WHERE living.id = {organization} AND NOT living.is_deleted);

/* A sign-on policy that asks somebody for single sign-on, now or from an announced time on. */
/* @fragment asked_now_or_later(policy) */
({policy}.announced_scope <> 'off' OR {policy}.scope <> 'off' AND ({policy}.enforce_from > now()) IS NOT FALSE);

/* A person who is linked to one of the units. */
/* @fragment linked(person, units) */
EXISTS (SELECT FROM unit_members mu WHERE mu.user_id = {person} AND mu.unit_id = ANY ({units}));

/* A record since whose creation the person has not left and returned (rules 13.12). */
/* @fragment stayed(person, record) */
NOT EXISTS (
  SELECT FROM memberships back
  WHERE back.user_id = {person} AND back.organization_id = {record}.organization_id AND back.reached_from > {record}.created_at);

/* A record that a person owns who is linked to one of the units in the organization of the record. */
/* @fragment owned(record, units) */
EXISTS (
  SELECT FROM unit_members mu
  WHERE mu.user_id = {record}.user_id AND mu.organization_id = {record}.organization_id AND mu.unit_id = ANY ({units}))
AND @stayed({record}.user_id, {record});

/* Records that the person owns, after the last of the previous page. Those in organizations that the person has left are excluded;
   platform administrators have records without a membership. */
/* @fragment exported(record) */
{record}.user_id = :userId!
AND ({record}.organization_id, {record}.created_at, {record}.id) > (:afterOrganizationId!::uuid, :afterTime!::timestamptz, :afterId!::uuid)
AND (:isPlatformAdmin!::boolean OR EXISTS (
  SELECT FROM memberships m
  WHERE m.organization_id = {record}.organization_id AND m.user_id = {record}.user_id AND NOT m.is_deleted));

/* By how much the number of an organization's records changed on each day. */
/* @fragment changes_per_day(table) */
SELECT to_char(time AT TIME ZONE :timeZone!, 'YYYY-MM-DD') AS "day!", sum(change)::int AS "change!"
FROM (
  SELECT created_at AS time, 1 AS change FROM {table}
  WHERE organization_id = :organizationId! AND NOT is_deleted AND created_at >= :from!::timestamptz
  UNION ALL
  SELECT turn.time, turn.change
  FROM {table} CROSS JOIN LATERAL (VALUES (created_at, 1), (deleted_at, -1)) turn (time, change)
  WHERE organization_id = :organizationId! AND is_deleted AND deleted_at >= :from!
) changes
WHERE time >= :from! AND time <= now()
GROUP BY 1;

/* A ticket whose reporter is linked to one of the units. */
/* @fragment reported(ticket, units) */
@linked({ticket}.reporter_id, {units}) AND @stayed({ticket}.reporter_id, {ticket});

/* An invitation whose assignments are all in the units; one for the whole organization is in none. */
/* @fragment invited(invitation, units) */
NOT EXISTS (
  SELECT FROM user_invitation_assignments a
  WHERE a.invitation_id = {invitation}.id AND (a.unit_id <> ALL ({units})) IS NOT FALSE);

/* A member who is linked to one of the units, and whose roles and units are all in them, as for a removal. */
/* @fragment inside(membership, units) */
EXISTS (SELECT FROM unit_members mu WHERE mu.membership_id = {membership} AND mu.unit_id = ANY ({units}))
AND NOT EXISTS (SELECT FROM unit_members mu WHERE mu.membership_id = {membership} AND mu.unit_id <> ALL ({units}))
AND NOT EXISTS (
  SELECT FROM membership_assignments a WHERE a.membership_id = {membership} AND (a.unit_id <> ALL ({units})) IS NOT FALSE);

/* A grant of an app that was redeemed, has not expired, and was used in the last 30 days. */
/* @fragment connected(grant) */
{grant}.redeemed_at IS NOT NULL
AND LEAST({grant}.expires_at, GREATEST({grant}.last_used_at, {grant}.redeemed_at) + interval '30 days') > now();

/* An internal note whose author is or was linked to one of the units. OFFSET 0 prevents a join with all people of the
   units. */
/* @fragment noted(note, units) */
EXISTS (
  SELECT FROM membership_units mu
  WHERE mu.user_id = {note}.author_id AND mu.unit_id = ANY ({units})
    AND (mu.created_at <= {note}.created_at OR NOT EXISTS (
      SELECT FROM memberships back WHERE back.id = mu.membership_id AND back.reached_from > {note}.created_at)) OFFSET 0);

/* A message of a ticket that the viewer may read. `noteUnits` limits the notes of the organization to the viewer's own
   notes and those of authors who are or were linked to one of these units. */
/* @fragment readable(message) */
NOT {message}.internal
OR {message}.staff_scope = 'PLATFORM' AND :seesPlatformNotes!::boolean
OR {message}.staff_scope = 'ORGANIZATION' AND :seesOrganizationNotes!::boolean AND (
  :noteUnits::uuid[] IS NULL OR {message}.author_id = :viewerId!::uuid OR @noted({message}, :noteUnits));

/* Whether the proofs of a session have to be compared with what an organization asks: not without a policy there, if the account's own
   proof is the only one. The function of this name is not inlined, and a join with session_in_organization would call that first. */
/* @fragment asks_for_proof(organization, proof) */
(NOT {proof} ? 'auth_time' OR :ssoHours::int IS NOT NULL AND ({proof} ? 'sso'
  OR EXISTS (SELECT FROM sign_on_policies asking WHERE asking.organization_id = {organization})));

/* The code of what a session with these proofs lacks to act in an organization; null if nothing is missing. */
/* @fragment blocked_by(user, organization, proof) */
CASE WHEN @asks_for_proof({organization}, {proof})
  THEN (session_in_organization({user}, {organization}, {proof}, :ssoHours::int)).blocked_by END;
