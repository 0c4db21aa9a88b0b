-- The id of an object in the storage that tells whether it is the storage of this database: an unmounted folder is empty
-- and can be written, too. The first instance that finds `marked_at` null writes the object.
CREATE TABLE storage_marker (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  marked_at timestamptz
);
INSERT INTO storage_marker DEFAULT VALUES;
