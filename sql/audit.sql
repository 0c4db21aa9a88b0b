/* Returns at most :max ids of the people and service accounts of these units: linked or assigned now or, with
   `ever`, at any time. With few ids, an index can find their events. With many ids, checking each event is as fast. */
/* @name listActorsOfUnits */
SELECT user_id AS "id!" FROM membership_units
WHERE unit_id = ANY (:unitIds!::uuid[]) AND (:ever!::boolean OR NOT is_deleted)
UNION
SELECT service_account_id FROM service_account_units
WHERE unit_id = ANY (:unitIds) AND (:ever OR EXISTS (
  SELECT FROM service_account_assignments a
  WHERE a.service_account_id = service_account_units.service_account_id AND a.unit_id = service_account_units.unit_id))
LIMIT :max!;

/* Returns an object by user id: for each member who left, returned, and is or was linked to these units, the time
   before which their events are hidden from the units (rules 13.12). Null if there are no such members. */
/* @name findHiddenHistory */
SELECT jsonb_object_agg(hidden.user_id, hidden.until) AS "until?"
FROM (
  SELECT back.user_id, LEAST(back.reached_from, min(mu.created_at)) AS until
  FROM memberships back JOIN membership_units mu ON mu.membership_id = back.id AND mu.unit_id = ANY (:units!::uuid[])
  WHERE back.organization_id = :organizationId! AND back.reached_from IS NOT NULL
  GROUP BY back.id
) hidden;

/* An event that a search matches, besides by its action: by its request, or by its actor. Deleted accounts match too,
   because events outlive accounts. */
/* @fragment matching(event) */
search_finds(search_text_of_request({event}.ip, {event}.request_id), :search)
OR {event}.actor_id = ANY (:found::uuid[])
OR :found IS NULL AND EXISTS (
  SELECT FROM users u WHERE u.id = {event}.actor_id AND (search_finds(u.email, :search) OR EXISTS (
    SELECT FROM account_emails f WHERE f.user_id = u.id AND f.used_until IS NOT NULL AND search_finds(f.email, :search))))
OR :found IS NULL AND {event}.actor_type IS NOT NULL AND EXISTS (
  SELECT FROM service_accounts s WHERE s.id = {event}.actor_id AND search_finds(search_fold(s.name), :search));

/* The actors of some units. With this condition, which follows from the one for `units`, an index finds their events. */
/* @fragment actingIn(event, units) */
{event}.actor_id = ANY (ARRAY(
  SELECT a.actor_id FROM actors_of_units_ever a WHERE a.unit_id = ANY ({units}) UNION SELECT :viewerId::uuid));

/* Lists the events that the viewer may read (rules 16.13, 16.14) and that match the filters.
   - `units`: the viewer's units with all units that are or were below them; null means no restriction. Only events
     of people who are or were linked to one of these units are listed.
   - `hiddenUntil`: the result of `findHiddenHistory`.
   - `actors`: only events of these people. `actorUnits`: only events of people who are linked to these units now.
   - `foundActions` and `found`: the actions and actors that match the search (`findSearched`). If `found` is null,
     because there would be too many ids, the actor of each event is searched.
   - A search is counted in two parts, because each part has an index: without `search`, the events with one of
     `foundActions`; with `search`, the events with other actions.

   Skipped events are read from the index only. The events of the page are then looked up by key, each in the single
   partition of its time. OFFSET 0 prevents a scan, which the planner prefers because it expects only one row from
   the subquery. */
/* @list events from audit_events e by time, id */
/* @columns */ e.id, e.action, e.actor_id, (SELECT u.email FROM users u WHERE u.id = e.actor_id) AS "actor_email?",
  CASE WHEN e.actor_type IS NOT NULL THEN (SELECT s.name FROM service_accounts s WHERE s.id = e.actor_id) END AS "service_account_name?",
  e.actor_type, e.api_key_id,
  e.target_type, e.target_id, e.organization_id, e.metadata, e.ip, e.request_id, e.time, e.mentioned_unit_ids, e.is_product,
  e.client_id, e.client_name, e.grant_id
/* @rows */ LATERAL (SELECT * FROM audit_events whole WHERE whole.id = page.id AND whole.time = page.time OFFSET 0) e
/* @if organizationId */ e.organization_id = :organizationId
/* @if organizations */ e.organization_id = ANY (:organizations)
/* @if units in counts */ :search::text IS NOT NULL OR @actingIn(e, :units)
/* @if units */ e.actor_id = :viewerId!::uuid OR (
    NOT e.is_above_units
    AND (e.subject_unit_ids = '{}' OR e.subject_unit_ids <@ :units)
    AND e.actor_id IN (SELECT a.actor_id FROM actors_of_units_ever a WHERE a.unit_id = ANY (:units))
    AND (:hiddenUntil::jsonb IS NULL
      OR e.time >= COALESCE((:hiddenUntil::jsonb ->> e.actor_id::text)::timestamptz, '-infinity'))
    AND (e.subject_user_id IS NULL
      OR e.subject_user_id IN (SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:units))))
/* @if actors */ e.actor_id = ANY (:actors)
/* @if actorUnits */ e.actor_id IN (SELECT a.actor_id FROM actors_of_units a WHERE a.unit_id = ANY (:actorUnits))
/* @if action */ e.action = :action
/* @if targetType */ e.target_type = :targetType
/* @if targetId */ e.target_id = :targetId
/* @if grantId */ e.grant_id = :grantId
/* @if from */ e.time >= :from
/* @if until */ e.time < :until
/* @if search on pages */ e.action = ANY (:foundActions::text[]) OR @matching(e)
/* @if search in counts */ @matching(e)
/* @if foundActions in counts */ CASE WHEN :search IS NULL THEN e.action = ANY (:foundActions::text[]) ELSE e.action <> ALL (:foundActions) END
/* @if before on pages */ (e.time, e.id) < (:beforeTime::timestamptz, :before)
/* @if after on pages */ (e.time, e.id) > (:afterTime::timestamptz, :after)
/* @sort time */ e.time
/* @total audit_events() */
/* @total audit_events(organizationId) */
/* @first organizationId by time desc */;

/* Returns the end of an export that starts now: the next millisecond, because event times are rounded to
   milliseconds. */
/* @name findEndOfExport */
SELECT (clock_timestamp() + interval '1 millisecond')::timestamptz(3) AS "time!";

/* @name listOrganizationsByIds */
SELECT id FROM organizations WHERE id = ANY (:ids!::uuid[]);

/* Counts the events for each interval of UTC between :first and :end: minute, hour, day, week (from Monday), month or
   year. Intervals without events have the count 0. */
/* @name countEventsByInterval */
WITH counted AS (
  SELECT date_trunc(:interval!::text, e.time, 'UTC') AS start, count(*)::int AS count
  FROM audit_events e
  WHERE @conditions(events) AND (:units IS NULL OR :search IS NOT NULL OR @actingIn(e, :units))
  GROUP BY 1)
SELECT bar.start::timestamptz(3) AS "from!", COALESCE(counted.count, 0) AS "count!"
FROM generate_series(
  date_trunc(:interval, :first!::timestamptz, 'UTC'), :end!::timestamptz, ('1 ' || :interval)::interval, 'UTC') bar(start)
LEFT JOIN counted USING (start)
WHERE bar.start < :end
ORDER BY 1;

/* Returns the time of the first event of an organization, or of the whole log. */
/* @name findFirstEvent */
SELECT min(time) AS time FROM audit_events WHERE (:organizationId::uuid IS NULL OR organization_id = :organizationId);

/* Lists the partitions of audit events, oldest first. `begins_at` is null if a partition has no beginning,
   `ends_at` if it has no end. */
/* @name listPeriods */
SELECT name AS "name!", begins_at, ends_at FROM audit_periods ORDER BY begins_at NULLS FIRST;

/* @name beginPeriod */
SELECT begin_audit_period(:months!) AS name;

/* @name findOldestEvent */
SELECT min(time) AS time FROM audit_events;

/* @name countEventsBetween */
SELECT organization_id, count(*)::int AS "events!" FROM audit_events
WHERE time >= :from!::timestamptz AND time < :until!::timestamptz
GROUP BY organization_id;

/* @name dropPeriod */
SELECT drop_audit_period(:name!, :months!, :owners!::uuid[], :events!::integer[]) AS "is_dropped!";

/* Returns what a search finds besides IP addresses and request ids: the matching actions, and the ids of at most
   :max matching actors. In an organization, actors are its service accounts, present and former members, and
   outside actors. Without an organization, only service accounts are searched. */
/* @name findSearched */
SELECT
  ARRAY(SELECT action FROM unnest(:actions!::text[]) action WHERE strpos(lower(action), search_fold(:search!)) > 0) AS "actions!",
  ARRAY(
    SELECT id FROM service_accounts
    WHERE CASE WHEN :organizationId::uuid IS NULL THEN search_fold(name) LIKE search_pattern(:search)
      ELSE organization_id = :organizationId AND strpos(search_fold(name), search_fold(:search)) > 0 END
    UNION ALL
    SELECT m.user_id FROM memberships m
    WHERE m.organization_id = :organizationId AND NOT m.is_deleted AND search_finds(m.search_text, :search)
      AND strpos(split_part(m.search_text, E'\n', 3), search_fold(:search)) > 0
    UNION ALL
    SELECT m.user_id FROM memberships m
    WHERE m.organization_id = :organizationId AND m.is_deleted AND search_finds(m.sort_email, :search)
    UNION ALL
    SELECT f.user_id FROM account_emails f JOIN memberships m ON m.user_id = f.user_id AND m.organization_id = :organizationId
    WHERE f.used_until IS NOT NULL AND search_finds(f.email, :search)
    UNION ALL
    SELECT o.actor_id FROM audit_outside_actors o JOIN users u ON u.id = o.actor_id
    WHERE o.organization_id = :organizationId AND (search_finds(u.email, :search) OR EXISTS (
      SELECT FROM account_emails f WHERE f.user_id = u.id AND f.used_until IS NOT NULL AND search_finds(f.email, :search)))
    LIMIT :max!::integer
  ) AS "actors!";

/* Returns those of the given ids that are accounts of people, deleted ones included. */
/* @name listUsersAmong */
SELECT id FROM users WHERE id = ANY (:ids!::uuid[]);

/* Returns the events whose actor is the user. Metadata may contain data of other people and of organizations. So it
   is returned only for events about the user that carry no organization. */
/* @name exportOwnEvents */
SELECT id, action, target_type, target_id, organization_id, ip, request_id, time, client_id, client_name, grant_id,
  CASE WHEN organization_id IS NULL AND target_id = :userId! THEN metadata END AS "metadata?"
FROM audit_events
WHERE actor_id = :userId AND (time, id) > (:afterTime!::timestamptz, :afterId!::uuid)
ORDER BY time, id
LIMIT :limit!;
