/* Those linked to units (ever, or still), at most :max: a small array lets the events of a few be found by index, and
   for many a look at each event is as good. */
/* @name listPeopleOfUnits */
SELECT DISTINCT user_id FROM membership_units
WHERE unit_id = ANY (:units!::uuid[]) AND (:ever!::boolean OR NOT is_deleted) LIMIT :max!;

/* The events that the viewer may read (rules 16.13, 16.14), narrowed by the filters. `units` are all that are, or ever
   were, below the viewer's, null for no limit; their people are whoever was ever linked to one. `actors` keeps the
   events of these people, `actorUnits` those of the live people of units. A search finds actors in `found`, or, where
   those would be too many, by looking at each event: deleted accounts too, as an event outlives its actor's. What is
   skipped is read from the index alone; what is shown is looked up by key, in the one partition that its time names
   (OFFSET keeps the planner, which takes it for a single row, from scanning instead). */
/* @name listEvents */
SELECT e.id, e.action, e.actor_id, (SELECT u.email FROM users u WHERE u.id = e.actor_id) AS "actor_email?",
  e.target_type, e.target_id, e.organization_id, e.metadata, e.ip, e.request_id, e.time, e.mentioned_unit_ids
FROM (
  SELECT e.id, e.time
  FROM audit_events e
  WHERE (:organizationId::uuid IS NULL OR e.organization_id = :organizationId)
    AND (:organizations::uuid[] IS NULL OR e.organization_id = ANY (:organizations))
    AND (:units::uuid[] IS NULL OR e.actor_id = :viewerId::uuid OR (
      NOT e.is_above_units
      AND (e.subject_unit_ids = '{}' OR e.subject_unit_ids <@ :units)
      AND e.actor_id IN (SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:units))
      AND (e.subject_user_id IS NULL
        OR e.subject_user_id IN (SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:units)))))
    AND (:actors::uuid[] IS NULL OR e.actor_id = ANY (:actors))
    AND (:actorUnits::uuid[] IS NULL OR e.actor_id IN (
      SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:actorUnits) AND NOT mu.is_deleted))
    AND (:action::text IS NULL OR e.action = :action)
    AND (:targetType::text IS NULL OR e.target_type = :targetType)
    AND (:targetId::uuid IS NULL OR e.target_id = :targetId)
    AND (:from::timestamptz IS NULL OR e.time >= :from)
    AND (:until::timestamptz IS NULL OR e.time < :until)
    AND (:search::text IS NULL
      OR search_finds(search_text_of_event(e.action, e.ip, e.request_id), :search)
      OR e.actor_id = ANY (:found::uuid[])
      OR (:found IS NULL AND EXISTS (
        SELECT FROM users u
        WHERE u.id = e.actor_id AND search_finds(u.email, :search))))
    AND (:afterId::uuid IS NULL
      OR (:descending!::boolean AND (e.time, e.id) < (:afterTime::timestamptz, :afterId))
      OR (NOT :descending AND (e.time, e.id) > (:afterTime, :afterId)))
  ORDER BY
    CASE WHEN :descending THEN e.time END DESC, CASE WHEN :descending THEN e.id END DESC,
    CASE WHEN NOT :descending THEN e.time END, CASE WHEN NOT :descending THEN e.id END
  LIMIT :limit! OFFSET :offset!
) page
CROSS JOIN LATERAL (SELECT * FROM audit_events whole WHERE whole.id = page.id AND whole.time = page.time OFFSET 0) e
ORDER BY
  CASE WHEN :descending THEN e.time END DESC, CASE WHEN :descending THEN e.id END DESC,
  CASE WHEN NOT :descending THEN e.time END, CASE WHEN NOT :descending THEN e.id END;

/* The time before which an export that begins now has events; times of events are rounded to milliseconds. */
/* @name findEndOfExport */
SELECT (clock_timestamp() + interval '1 millisecond')::timestamptz(3) AS "time!";

/* @name listOrganizationsByIds */
SELECT id FROM organizations WHERE id = ANY (:ids!::uuid[]);

/* Counts what `listEvents` lists, by the same conditions. In units the people come first, once more: an index finds what is
   theirs. That decides nothing, and is left out where a search finds less. */
/* @name countEvents */
SELECT count(*)::int AS "total!"
FROM audit_events e
WHERE (:organizationId::uuid IS NULL OR e.organization_id = :organizationId)
  AND (:organizations::uuid[] IS NULL OR e.organization_id = ANY (:organizations))
  AND (:units::uuid[] IS NULL OR :search::text IS NOT NULL OR e.actor_id = ANY (ARRAY(
    SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:units) UNION SELECT :viewerId::uuid)))
  AND (:units IS NULL OR e.actor_id = :viewerId OR (
    NOT e.is_above_units
    AND (e.subject_unit_ids = '{}' OR e.subject_unit_ids <@ :units)
    AND e.actor_id IN (SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:units))
    AND (e.subject_user_id IS NULL
      OR e.subject_user_id IN (SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:units)))))
  AND (:actors::uuid[] IS NULL OR e.actor_id = ANY (:actors))
  AND (:actorUnits::uuid[] IS NULL OR e.actor_id IN (
    SELECT mu.user_id FROM membership_units mu WHERE mu.unit_id = ANY (:actorUnits) AND NOT mu.is_deleted))
  AND (:action::text IS NULL OR e.action = :action)
  AND (:targetType::text IS NULL OR e.target_type = :targetType)
  AND (:targetId::uuid IS NULL OR e.target_id = :targetId)
  AND (:from::timestamptz IS NULL OR e.time >= :from)
  AND (:until::timestamptz IS NULL OR e.time < :until)
  AND (:search::text IS NULL
    OR search_finds(search_text_of_event(e.action, e.ip, e.request_id), :search)
    OR e.actor_id = ANY (:found::uuid[])
    OR (:found IS NULL AND EXISTS (
      SELECT FROM users u WHERE u.id = e.actor_id AND search_finds(u.email, :search))));

/* The partitions of events, oldest first; null for no beginning and no end. */
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
