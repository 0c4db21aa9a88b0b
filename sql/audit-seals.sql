/* Audit events are sealed: each chain of batches has digests that make changes of events detectable
   (migrations/0015_audit.sql). Each organization has a chain. The events without an organization have a chain with
   the nil UUID as its id. */

/* Takes the lock that allows only one process at a time to seal events. `is_mine` is false if another process has
   the lock. The time is read after the lock, so that batches are ordered by time. */
/* @name lockSealing */
SELECT pg_try_advisory_xact_lock(hashtextextended('audit seals', 0)) AS "is_mine!",
  clock_timestamp()::timestamptz(3) AS "sealed_at!";

/* Takes waiting events out of the queue and returns them with their rows. Each row is looked up by key in the
   single partition of its time. Events with a time outside the years 1 to 9999 are left in the queue. The service
   never writes such times and cannot parse them, so one such event would stop the sealing of all others. */
/* @name takeUnsealed */
WITH unsealed AS (
  DELETE FROM audit_unsealed WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM audit_unsealed WHERE time BETWEEN '0001-01-01Z' AND '9999-12-31Z' LIMIT :max!))
  RETURNING event_id, time, organization_id
)
SELECT unsealed.event_id AS "id!", unsealed.time AS "time!", unsealed.organization_id AS "chain?",
  e.id IS NOT NULL AS "exists!", e.action AS "action?", e.actor_id, e.target_type, e.target_id, e.organization_id,
  e.metadata AS "metadata?", e.ip, e.request_id, e.subject_user_id, e.subject_unit_ids AS "subject_unit_ids?",
  e.is_above_units AS "is_above_units?", e.mentioned_unit_ids, e.actor_type, e.api_key_id, e.is_product AS "is_product?",
  e.client_id, e.client_name, e.grant_id
FROM unsealed
LEFT JOIN LATERAL (SELECT * FROM audit_events whole WHERE whole.id = unsealed.event_id AND whole.time = unsealed.time OFFSET 0) e ON true;

/* Returns the last batch of each of the given chains. */
/* @name listHeadsOf */
SELECT head.chain, head.number, head.position, encode(head.digest, 'hex') AS "digest!"
FROM unnest(:chains!::uuid[]) AS given (chain)
CROSS JOIN LATERAL (SELECT * FROM audit_seals s WHERE s.chain = given.chain ORDER BY s.number DESC LIMIT 1) head;

/* Inserts batches of sealed events. `given.seals` is a JSON array of objects with these columns. */
/* @name insertSeals */
INSERT INTO audit_seals (chain, number, position, sealed_at, is_caught_up, first_time, last_time, event_ids, event_times,
  event_digests, digest)
SELECT chain, number, position, "sealedAt", "isCaughtUp", "eventTimes"[1], "eventTimes"[cardinality("eventTimes")], "eventIds",
  "eventTimes", decode("eventDigests", 'hex'), decode(digest, 'hex')
FROM jsonb_to_recordset(:given!::jsonb -> 'seals') AS seal (chain uuid, number integer, position integer, "sealedAt" timestamptz,
  "isCaughtUp" boolean, "eventIds" uuid[], "eventTimes" timestamptz[], "eventDigests" text, digest text);

/* Returns the digests of the emails that pseudonyms replaced in events of these accounts. Returns no digests for an
   account without a pseudonym, or with more digests than it had emails: somebody may have added a digest to hide a
   change of an event. */
/* @name listRetiredEmails */
SELECT e.user_id, array_agg(encode(e.digest, 'hex') ORDER BY e.digest) AS "digests!"
FROM retired_emails e JOIN users u ON u.id = e.user_id AND u.pseudonymised_at IS NOT NULL
WHERE e.user_id = ANY (:userIds!::uuid[])
GROUP BY e.user_id
HAVING count(*) <= 1 + (
  SELECT count(DISTINCT c.old_email) FROM email_changes c WHERE c.user_id = e.user_id AND c.completed_at IS NOT NULL);

/* Returns where pseudonyms of these accounts replaced emails in these events. `typed` has the numbers of the
   occurrences that were in the metadata before the replacement, because a user had typed the same text. */
/* @name listPseudonyms */
SELECT event_id, user_id, typed,
  ARRAY(SELECT encode(digest, 'hex') FROM unnest(emails) WITH ORDINALITY AS at (digest, place) ORDER BY place) AS "emails!"
FROM audit_pseudonyms
WHERE event_id = ANY (:eventIds!::uuid[]) AND user_id = ANY (:userIds!::uuid[]);

/* Returns the last batch of a chain, and the number and age of the chain's events that are not sealed yet. */
/* @name findChain */
SELECT head.number AS "number?", head.position AS "position?", head.sealed_at AS "sealed_at?",
  encode(head.digest, 'hex') AS "digest?", waiting.events AS "unsealed!", waiting.oldest AS "oldest_unsealed_at?"
FROM (
  SELECT count(*)::int AS events, min(LEAST(GREATEST(time, '0001-01-01Z'), '9999-12-31Z')) AS oldest FROM audit_unsealed
  WHERE organization_id IS NOT DISTINCT FROM :organizationId::uuid
) waiting
LEFT JOIN LATERAL (SELECT * FROM audit_seals s WHERE s.chain = :chain! ORDER BY s.number DESC LIMIT 1) head ON true;

/* Finds an event by id in any partition. */
/* @name findEvent */
SELECT id, time, action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id, subject_user_id,
  subject_unit_ids, is_above_units, mentioned_unit_ids, actor_type, api_key_id, is_product, client_id, client_name, grant_id
FROM audit_events WHERE id = :id! AND organization_id IS NOT DISTINCT FROM :organizationId::uuid;

/* Returns the batch that contains an event with this id and time. */
/* @name findSealOf */
SELECT s.number, s.position, s.sealed_at, s.is_caught_up, s.event_ids, s.event_times, encode(s.event_digests, 'hex') AS "event_digests!",
  encode(s.digest, 'hex') AS "digest!",
  (SELECT encode(p.digest, 'hex') FROM audit_seals p WHERE p.chain = s.chain AND p.number = s.number - 1) AS "previous?"
FROM audit_seals s
WHERE s.chain = :chain! AND s.sealed_at >= :time!::timestamptz AND s.first_time <= :time AND s.last_time >= :time
  AND :id!::uuid = ANY (s.event_ids)
ORDER BY s.sealed_at, s.number LIMIT 1;

/* Returns the age of the oldest unsealed event in seconds, for the metrics. */
/* @name findOldestUnsealed */
SELECT GREATEST(COALESCE(extract(epoch FROM now() - min(time)), 0), 0)::float8 AS "seconds!" FROM audit_unsealed;

/* Returns the last batch of every chain, or of one chain. */
/* @name listHeads */
SELECT DISTINCT ON (chain) chain, number, position, sealed_at, encode(digest, 'hex') AS "digest!"
FROM audit_seals WHERE (:chain::uuid IS NULL OR chain = :chain)
ORDER BY chain, number DESC;

/* Returns a page of all batches, or of the batches of one chain, ordered by chain and number. */
/* @name listSeals */
SELECT chain, number, position, sealed_at, is_caught_up, event_ids, event_times, encode(event_digests, 'hex') AS "event_digests!",
  encode(digest, 'hex') AS "digest!", first_time = event_times[1] AND last_time = event_times[cardinality(event_times)] AS "has_its_times!"
FROM audit_seals
WHERE (:chain::uuid IS NULL OR chain = :chain) AND (chain, number) > (:afterChain!::uuid, :afterNumber!::integer)
ORDER BY chain, number LIMIT :max!;

/* @name listEventsAt */
SELECT e.id, e.time, e.action, e.actor_id, e.target_type, e.target_id, e.organization_id, e.metadata, e.ip, e.request_id,
  e.subject_user_id, e.subject_unit_ids, e.is_above_units, e.mentioned_unit_ids, e.actor_type, e.api_key_id, e.is_product,
  e.client_id, e.client_name, e.grant_id
FROM unnest(:ids!::uuid[], :times!::timestamptz[]) AS given (id, time)
CROSS JOIN LATERAL (SELECT * FROM audit_events whole WHERE whole.id = given.id AND whole.time = given.time OFFSET 0) e;

/* Returns those of the given events that still exist, in any partition. */
/* @name listExisting */
SELECT id FROM audit_events WHERE id = ANY (:ids!::uuid[]);

/* Returns events of a period that are neither in a batch nor in the queue of events to be sealed. The service never
   causes such an event: it is queued by the transaction that writes it, and leaves the queue in the transaction
   that seals it. */
/* @name listNeverSealed */
SELECT e.id, e.organization_id, LEAST(GREATEST(e.time, '0001-01-01Z'), '9999-12-31Z') AS "time!"
FROM audit_events e
LEFT JOIN (
  SELECT unnest(s.event_ids) AS id FROM audit_seals s
  WHERE (:from::timestamptz IS NULL OR s.last_time >= :from) AND (:until::timestamptz IS NULL OR s.first_time < :until)
  UNION ALL
  SELECT event_id FROM audit_unsealed WHERE time BETWEEN '0001-01-01Z' AND '9999-12-31Z'
) known ON known.id = e.id
WHERE known.id IS NULL
  AND (:from IS NULL OR e.time >= :from) AND (:until IS NULL OR e.time < :until)
  AND (:chain::uuid IS NULL OR COALESCE(e.organization_id, '00000000-0000-0000-0000-000000000000') = :chain)
LIMIT :max!;

/* Returns events that are queued to be sealed but no longer exist. */
/* @name listVanished */
SELECT w.event_id, LEAST(GREATEST(w.time, '0001-01-01Z'), '9999-12-31Z') AS "time!", w.organization_id FROM audit_unsealed w
WHERE NOT EXISTS (SELECT FROM audit_events e WHERE e.id = w.event_id AND e.time = w.time)
  AND (:chain::uuid IS NULL OR COALESCE(w.organization_id, '00000000-0000-0000-0000-000000000000') = :chain)
LIMIT :max!;

/* @name countUnsealed */
SELECT count(*)::int AS "events!", min(LEAST(GREATEST(time, '0001-01-01Z'), '9999-12-31Z')) AS "oldest?" FROM audit_unsealed
WHERE (:chain::uuid IS NULL OR COALESCE(organization_id, '00000000-0000-0000-0000-000000000000') = :chain);
