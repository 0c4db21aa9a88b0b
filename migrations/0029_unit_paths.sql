-- Replaces a recursive query, which was planned again at each event of a record with units. PL/pgSQL caches the plans of its look-ups.
CREATE OR REPLACE FUNCTION unit_paths(unit_ids uuid[]) RETURNS text[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unit_id uuid;
  above_id uuid;
  path text;
  paths text[] := '{}';
BEGIN
  FOREACH unit_id IN ARRAY unit_ids LOOP
    SELECT u.id::text, u.parent_id INTO path, above_id FROM units u WHERE u.id = unit_id;
    CONTINUE WHEN NOT FOUND;
    WHILE above_id IS NOT NULL LOOP
      SELECT u.id || '/' || path, u.parent_id INTO path, above_id FROM units u WHERE u.id = above_id;
    END LOOP;
    CONTINUE WHEN path = ANY (paths);
    paths := paths || path;
  END LOOP;
  RETURN paths;
END $$;
