/* The feed of the product: the changes of all organizations and accounts in one order (migrations/0022_product_feed.sql). */

/* Returns the last number of the feed, the oldest number that is kept, and the epoch of the numbers. */
/* @name findFeedNumbering */
SELECT last_position::text AS "last_position!", oldest_kept::text AS "oldest_kept!", epoch::text AS "epoch!" FROM feed_numbering;

/* Lists entries after a number, in order. */
/* @name listFeed */
SELECT position::text AS "position!", id, type, organization_id, data, occurred_at FROM feed
WHERE position > :after!::text::bigint AND position <= :last!::text::bigint
ORDER BY position LIMIT :max!;

/* Records how far the product has followed the feed, if it is further than before. */
/* @name recordReceipt */
UPDATE feed_receipt SET position = :position!::text::bigint WHERE position IS NULL OR position < :position::text::bigint;

/* Returns the age in seconds of the oldest entry after the latest cursor that the product sent; 0 before its first one. */
/* @name findFeedLag */
SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(f.recorded_at)), 0)::float8 AS "seconds!"
FROM feed_receipt r
JOIN feed_numbering n ON n.last_position > r.position
JOIN feed f ON f.position = GREATEST(r.position + 1, n.oldest_kept);
