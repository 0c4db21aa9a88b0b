-- The organization that a session of this user acts in, with the grants there (active_organization_grants): at least one
-- row for a live user, none for a deleted one. A platform administrator's session acts in none. Volatile, so that it takes a
-- new snapshot when it is called: a statement that waits for the user's lock and then calls it sees what was committed
-- before the lock was granted.
CREATE FUNCTION session_grants(of_user_id uuid, preferred_id uuid)
RETURNS TABLE (is_platform_admin boolean, has_two_factor boolean, organization_id uuid, organization_name text,
  organization_slug text, role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql VOLATILE AS $$
  SELECT u.is_platform_admin, u.two_factor_enabled_at IS NOT NULL, active.*
  FROM users u LEFT JOIN LATERAL active_organization_grants(u.id, COALESCE(preferred_id, u.last_organization_id)) active
    ON NOT u.is_platform_admin
  WHERE u.id = of_user_id AND NOT u.is_deleted
$$;
