-- Only its owner may flush a GIN index, and the role of the API may own nothing (docs/operate/deploy.md, "Database roles").
-- Runs as the owner, takes no argument, and changes no row.

CREATE FUNCTION flush_search_indexes() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT COALESCE(sum(gin_clean_pending_list(c.oid)), 0)
  FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
  WHERE c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace AND pg_has_role(c.relowner, 'USAGE')
$$;
