/* Events for other systems: the outbox, the relay that assigns their sequence numbers, and the list that clients
   poll. */

/* Takes the lock that allows only one relay at a time to assign sequence numbers. The end of the transaction releases
   it. */
/* @name tryLockRelay */
SELECT pg_try_advisory_xact_lock(hashtextextended('events.relay', 0)) AS "is_locked!";

/* Numbers the events of at most :max transactions, moves them from the outbox to the list, and creates the webhook
   deliveries of subscribed endpoints. Those of :feedTypes are also numbered in the feed of the product; without a product there are
   none. What is for the feed only goes nowhere else. The planner does not see the types through the subquery; otherwise it
   would plan the statement anew each time, which takes longer than to run it. Beyond 100,000 pending deliveries of an endpoint, deliveries are discarded. The
   maintained total of pending deliveries is read, so the cost does not depend on how many are pending.
   The transactions are sorted by their last event, and the events of a transaction stay together. This keeps the
   order of changes to one record: the later transaction writes its event only after the earlier one has committed. */
/* @name relayEvents */
WITH ordered AS (
  SELECT position, dense_rank() OVER (ORDER BY last, transaction_id) AS rank, last
  FROM (SELECT position, transaction_id, max(position) OVER (PARTITION BY transaction_id) AS last FROM event_outbox) positions
), batch AS (
  SELECT position, last FROM ordered WHERE rank <= :max!
), moved AS (
  DELETE FROM event_outbox o USING batch WHERE o.position = batch.position RETURNING o.*, batch.last
), ends AS (
  INSERT INTO event_sequences AS s (organization_id, last_sequence)
  SELECT organization_id, count(*) FROM moved WHERE NOT is_feed_only GROUP BY organization_id ORDER BY organization_id
  ON CONFLICT (organization_id) DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence
  RETURNING organization_id, last_sequence
), numbered AS (
  SELECT moved.*, ends.last_sequence + 1
    - row_number() OVER (PARTITION BY moved.organization_id ORDER BY moved.last DESC, moved.position DESC) AS sequence
  FROM moved JOIN ends ON ends.organization_id = moved.organization_id
  WHERE NOT moved.is_feed_only
), recorded AS (
  INSERT INTO events (id, organization_id, sequence, type, object_id, data, actor_type, actor_id, client_id, client_name, request_id, occurred_at,
    recorded_at, is_product, reach_match, reach_paths)
  SELECT id, organization_id, sequence, type, object_id, data, actor_type, actor_id, client_id, client_name, request_id, occurred_at,
    clock_timestamp(), is_product, reach_match, reach_paths
  FROM numbered ORDER BY organization_id, sequence
  RETURNING id, organization_id, sequence, type, recorded_at
), endpoints AS (
  SELECT e.id, e.organization_id, e.event_types, 100000 - (SELECT COALESCE(sum(rows), 0) FROM counted_rows
    WHERE list = 'pending_deliveries' AND owner = e.id AND part IS NULL) AS capacity
  FROM webhook_endpoints e
  WHERE e.organization_id IN (SELECT organization_id FROM ends) AND e.is_enabled AND NOT e.is_deleted
), wanted AS (
  SELECT e.id AS endpoint_id, r.*, row_number() OVER (PARTITION BY e.id ORDER BY r.sequence) <= e.capacity AS fits
  FROM recorded r JOIN endpoints e ON e.organization_id = r.organization_id AND (r.type = ANY (e.event_types) OR '*' = ANY (e.event_types))
), delivered AS (
  INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state, next_attempt_at)
  SELECT endpoint_id, organization_id, id, recorded_at, type, sequence, CASE WHEN fits THEN 'PENDING' ELSE 'DISCARDED' END,
    CASE WHEN fits THEN clock_timestamp() END
  FROM wanted ORDER BY sequence
  RETURNING endpoint_id, next_attempt_at
), due AS (
  UPDATE webhook_endpoints e SET next_due_at = LEAST(e.next_due_at, clock_timestamp())
  WHERE e.id IN (SELECT endpoint_id FROM delivered WHERE next_attempt_at IS NOT NULL)
  RETURNING e.id
), followed AS (
  SELECT moved.*, row_number() OVER (ORDER BY last, position) AS number FROM moved
  WHERE type = ANY ((SELECT :feedTypes!::text[])::text[])
), begun AS (
  UPDATE feed_numbering SET last_position = last_position + entries FROM (SELECT count(*) AS entries FROM followed) counted
  WHERE entries > 0
  RETURNING last_position - entries AS before
), fed AS (
  INSERT INTO feed (position, id, type, organization_id, object_id, data, occurred_at, recorded_at)
  SELECT before + number, id, type, organization_id, object_id, data, occurred_at, clock_timestamp()
  FROM followed, begun ORDER BY number
  RETURNING 1
), announced AS (
  SELECT pg_notify('feed', '') FROM (SELECT count(*) AS entries FROM fed) counted WHERE entries > 0
)
SELECT (SELECT count(*)::int FROM moved) AS "moved!", (SELECT count(*)::int FROM recorded) AS "events!",
  (SELECT count(*)::int FROM announced) AS "announced!", (SELECT count(*)::int FROM delivered) AS "deliveries!",
  (SELECT count(*)::int FROM due) AS "endpoints!";

/* Returns the number of events in the outbox, and the age of the oldest one in seconds. */
/* @name findRelayLag */
SELECT count(*)::int AS "waiting!", COALESCE(extract(epoch FROM clock_timestamp() - min(occurred_at)), 0)::float8 AS "seconds!"
FROM event_outbox;

/* @name beginEventDays */
SELECT begin_event_days(:ahead!) AS "begun!";

/* @name dropEventDays */
SELECT drop_event_days(:days!) AS "dropped!";

/* Returns the last event number of an organization, the oldest number that is kept, and the epoch of the numbers.
   Returns no row before the organization's first event. */
/* @name findEventSequence */
SELECT last_sequence::text AS "last_sequence!", oldest_kept::text AS "oldest_kept!", epoch::text AS "epoch!"
FROM event_sequences WHERE organization_id = :organizationId!;

/* Returns the number of the last event of a record in a window of :max events, which begins after a number; no row if
   fewer follow. */
/* @name findEndOfWindow */
SELECT sequence::text AS "sequence!" FROM events
WHERE organization_id = :organizationId! AND object_id = :objectId! AND sequence > :after!::text::bigint
ORDER BY sequence OFFSET :max!::int - 1 LIMIT 1;

/* Lists events after a number and up to another, in order. :organizationWide are the types that the caller may read in the whole
   organization; `readable.types` has the other ones, each with the units in which the caller holds the permission of
   the type. Null units mean the whole organization. :knownTypes are null unless the caller may also read what a product reported
   of other types, which its manifest does not have any more.
   Most events of a reader who holds units are ruled out by a comparison of arrays, before the function, which is slow. There is no join, so that rows are read in their order and reading
   ends when the page is full. The caller limits the numbers, so that a page that never fills reads few events, too. */
/* @name listEvents */
SELECT e.id, e.sequence::text AS "sequence!", e.type, e.data, e.actor_type, e.actor_id, e.client_id, e.client_name, e.request_id, e.occurred_at, e.reach_paths
FROM events e
WHERE e.organization_id = :organizationId! AND e.sequence > :after!::text::bigint AND e.sequence <= :last!::text::bigint
  AND (:objectId::uuid IS NULL OR e.object_id = :objectId)
  AND (e.type = ANY (:organizationWide!::text[]) OR :readable!::jsonb -> 'types' ? e.type
    AND (:eventRoots::uuid[] IS NULL OR string_to_array(array_to_string(e.reach_paths, '/'), '/') && :eventRoots::uuid[]::text[])
    AND event_is_reached(e.reach_match, e.reach_paths, :eventRoots::uuid[])
    AND event_is_reached(e.reach_match, e.reach_paths, CASE WHEN :readable -> 'types' ->> e.type IS NOT NULL
      THEN ARRAY(SELECT jsonb_array_elements_text(:readable -> 'types' -> e.type)::uuid) END)
    OR e.is_product AND e.type <> ALL (:knownTypes::text[]))
ORDER BY e.sequence LIMIT :max!;

/* Returns an event if the caller may read it; the parameters are like those of listEvents. */
/* @name findEvent */
SELECT e.id, e.sequence::text AS "sequence!", e.type, e.data, e.actor_type, e.actor_id, e.client_id, e.client_name, e.request_id, e.occurred_at, e.reach_paths
FROM events e
LEFT JOIN jsonb_to_recordset(:readable!::jsonb -> 'types') AS readable (type text, "eventRoots" uuid[], "typeRoots" uuid[])
  ON readable.type = e.type
WHERE e.id = :id! AND e.organization_id = :organizationId!
  AND (readable.type IS NOT NULL AND event_is_reached(e.reach_match, e.reach_paths, readable."eventRoots")
      AND event_is_reached(e.reach_match, e.reach_paths, readable."typeRoots")
    OR e.is_product AND e.type <> ALL (:knownTypes::text[]));

/* Returns those of the given actors who belong to one of these units or a unit below. Administrators of a unit see
   only these actors. */
/* @name listActorsWithin */
SELECT DISTINCT a.actor_id AS "actor_id!" FROM actors_of_units a
JOIN unit_subtree(:roots!::uuid[]) tree ON tree.unit_id = a.unit_id
WHERE a.actor_id = ANY (:actorIds!::uuid[]);
