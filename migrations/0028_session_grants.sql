-- Where a session of this user acts, and with what (as active_organization_grants says): one row at least for a user who
-- is there, none for one who is not. A platform administrator's session acts nowhere. Volatile, so that it reads what is
-- committed when it is called and not what was when its statement began: a statement that waits for the user's lock and
-- calls it then decides by what holds under the lock.
CREATE FUNCTION session_grants(of_user_id uuid, preferred_id uuid)
RETURNS TABLE (is_platform_admin boolean, organization_id uuid, organization_name text, organization_slug text,
  role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql VOLATILE AS $$
  SELECT u.is_platform_admin, active.*
  FROM users u LEFT JOIN LATERAL active_organization_grants(u.id, COALESCE(preferred_id, u.last_organization_id)) active
    ON NOT u.is_platform_admin
  WHERE u.id = of_user_id AND NOT u.is_deleted
$$;
