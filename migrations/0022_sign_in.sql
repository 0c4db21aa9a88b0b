-- Where somebody acts, and what is held there, as part of the statements that begin and continue a session.
CREATE FUNCTION active_organization_grants(of_user_id uuid, preferred_id uuid)
RETURNS TABLE (organization_id uuid, organization_name text, organization_slug text,
  role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT home.organization_id, home.name, home.slug, r.name, r.permissions, a.unit_id, a.id
  FROM (
    SELECT m.id, m.organization_id, o.name, o.slug
    FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = of_user_id AND NOT m.is_deleted AND o.status = 'ACTIVE' AND NOT o.is_deleted
    ORDER BY m.organization_id = preferred_id DESC NULLS LAST, m.joined_at, m.id
    LIMIT 1
  ) home
  LEFT JOIN (
    membership_assignments a
    JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
    LEFT JOIN units u ON u.id = a.unit_id
  ) ON a.membership_id = home.id AND u.is_deleted IS NOT TRUE
$$;

-- A sign-in finds what has expired, and the sessions beyond the cap, without reading all tokens that the user ever had.
CREATE INDEX refresh_tokens_user_expiry ON refresh_tokens (user_id, expires_at);
CREATE INDEX refresh_tokens_user_live ON refresh_tokens (user_id, created_at DESC, id DESC) WHERE revoked_at IS NULL;
DROP INDEX refresh_tokens_user;
