/* @name findStorageMarker */
SELECT id, marked_at IS NOT NULL AS "is_marked!" FROM storage_marker;

/* @name confirmStorageMarker */
UPDATE storage_marker SET marked_at = now() WHERE marked_at IS NULL;
