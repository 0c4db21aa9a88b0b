-- Whom an event is about is written down with it, so that who may read it is decided without looking anything up.

ALTER TABLE audit_events
  -- The person: the target itself, or the reporter of the ticket.
  ADD COLUMN subject_user_id uuid,
  -- The units: the target itself, or all that the invitation names.
  ADD COLUMN subject_unit_ids uuid[] NOT NULL DEFAULT '{}',
  -- About a role, the organization, or an invitation to all of it: nobody's in a unit. So is all that was written
  -- before this was known.
  ADD COLUMN is_above_units boolean NOT NULL DEFAULT true,
  -- The units of the invitation that the metadata mentions; null where it is for the whole organization, or none.
  ADD COLUMN mentioned_unit_ids uuid[];
ALTER TABLE audit_events ALTER COLUMN is_above_units SET DEFAULT false;

-- Each serves a filter, newest first; the first two also the totals.
CREATE INDEX audit_events_organization_actor ON audit_events (organization_id, actor_id, time DESC, id DESC);
CREATE INDEX audit_events_action ON audit_events (action, organization_id, time DESC, id DESC);
CREATE INDEX audit_events_target ON audit_events (target_id, time DESC, id DESC) WHERE target_id IS NOT NULL;

-- All of it is ASCII, so lower case is all that folding would do.
CREATE FUNCTION search_text_of_event(action text, ip text, request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(action || E'\n' || COALESCE(ip, '') || E'\n' || COALESCE(request_id, ''));

CREATE INDEX audit_events_search ON audit_events USING gin (search_text_of_event(action, ip, request_id) gin_trgm_ops);

-- Emails are lower-case ASCII.
CREATE INDEX users_email_search ON users USING gin (email gin_trgm_ops) WHERE NOT is_deleted;

-- These units and everything that is or ever was below them.
CREATE FUNCTION unit_subtree_ever(roots uuid[]) RETURNS TABLE (unit_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE tree AS (
    SELECT u.id FROM units u WHERE u.id = ANY (roots)
    UNION
    SELECT child.id FROM units child JOIN tree ON child.parent_id = tree.id
  )
  SELECT tree.id FROM tree
$$;
