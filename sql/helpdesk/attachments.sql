/* @name newTicketId */
SELECT uuidv7() AS "id!";

/* Returns the bytes that a user uploaded in the last :seconds, including deleted images, and the seconds until the
   oldest of these uploads leaves the window. */
/* @name sumUploads */
SELECT COALESCE(sum(size), 0)::float8 AS "bytes!",
  COALESCE(ceil(extract(epoch FROM min(created_at) + make_interval(secs => :seconds!) - now())), 1)::int AS "seconds_left!"
FROM ticket_attachments
WHERE user_id = :userId! AND created_at > now() - make_interval(secs => :seconds);

/* @name countImages */
SELECT count(*)::int AS "count!" FROM ticket_attachments WHERE ticket_id = :ticketId!;

/* @name reserveAttachments */
INSERT INTO ticket_attachments
  (id, ticket_id, user_id, storage_key, position, file_name, content_type, size, width, height)
SELECT made.id, :ticketId!::uuid, :userId!, 'helpdesk/' || :ticketId::uuid || '/' || made.id, made.position, made.file_name,
  made.content_type, made.size, made.width, made.height
FROM (
  SELECT uuidv7() AS id, given.*
  FROM unnest(:fileNames!::text[], :contentTypes!::text[], :sizes!::integer[], :widths!::integer[],
    :heights!::integer[]) WITH ORDINALITY AS given (file_name, content_type, size, width, height, position)
) made
RETURNING id, storage_key, position;

/* Attaches reserved images to a message. Returns fewer rows if some of them were marked as abandoned meanwhile. */
/* @name attachToMessage */
UPDATE ticket_attachments SET message_id = :messageId!
WHERE id = ANY (:ids!::uuid[]) AND message_id IS NULL AND NOT is_deleted
RETURNING id;

/* Marks images without a message as abandoned. Their rows are kept until their objects have been deleted. */
/* @name markAttachmentsAbandoned */
UPDATE ticket_attachments SET is_deleted = true, deleted_at = now()
WHERE id = ANY (:ids!::uuid[]) AND message_id IS NULL AND NOT is_deleted;

/* @name markAbandoned */
UPDATE ticket_attachments SET is_deleted = true, deleted_at = now()
WHERE message_id IS NULL AND created_at < now() - interval '1 hour' AND NOT is_deleted;

/* @name listAbandoned */
SELECT id, storage_key FROM ticket_attachments
WHERE message_id IS NULL AND is_deleted AND (:ids::uuid[] IS NULL OR id = ANY (:ids))
ORDER BY created_at LIMIT :max!;

/* @name deleteAttachmentRows */
DELETE FROM ticket_attachments WHERE id = ANY (:ids!::uuid[]) AND message_id IS NULL AND is_deleted;

/* @name listAttachments */
SELECT id, message_id AS "message_id!", file_name, content_type, size, width, height
FROM ticket_attachments
WHERE message_id = ANY (:messages!::uuid[]) AND NOT is_deleted
ORDER BY message_id, position;

/* Finds an image that the viewer may see: as the reporter of the ticket, as a platform administrator, or as staff
   of the organization. Staff see it only if the reporter and, for a note, its author are in reach (`units`; null
   for the whole organization). */
/* @name findAttachment */
SELECT a.storage_key, a.file_name, a.content_type, a.size
FROM ticket_attachments a
JOIN ticket_messages m ON m.id = a.message_id
JOIN tickets t ON t.id = m.ticket_id AND NOT t.is_deleted
WHERE a.id = :id! AND NOT a.is_deleted AND (
  :isPlatformAdmin!::boolean
  OR t.reporter_id = :viewerId! AND NOT m.internal
    AND (:ownOrganizationId::uuid IS NULL OR t.organization_id = :ownOrganizationId::uuid)
  OR t.organization_id = :organizationId::uuid
    AND (NOT m.internal OR m.staff_scope = 'ORGANIZATION')
    AND (:units::uuid[] IS NULL
      OR @reported(t, :units)
      AND (NOT m.internal OR m.author_id = :viewerId OR @noted(m, :noteUnits::uuid[]))));

/* Returns those of the given object keys that no row has. Rows of deleted images count too. */
/* @name listUnknownKeys */
SELECT given.key AS "key!" FROM unnest(:keys!::text[]) AS given (key)
WHERE NOT EXISTS (SELECT FROM ticket_attachments a WHERE a.storage_key = given.key);

/* Lists the images of messages in all tickets after a given id, ordered by id. */
/* @name listImagesAfter */
SELECT id, storage_key FROM ticket_attachments
WHERE message_id IS NOT NULL AND NOT is_deleted AND id > :after!
ORDER BY id LIMIT :max!;

/* Marks images whose objects are missing as deleted, so that messages no longer show them. */
/* @name markImagesLost */
UPDATE ticket_attachments SET is_deleted = true, deleted_at = now()
WHERE id = ANY (:ids!::uuid[]) AND message_id IS NOT NULL AND NOT is_deleted;

/* @name exportAttachments */
SELECT id, message_id AS "message_id!", file_name, content_type, size, width, height
FROM ticket_attachments
WHERE message_id = ANY (:messages!::uuid[]) AND NOT is_deleted
ORDER BY message_id, position;
