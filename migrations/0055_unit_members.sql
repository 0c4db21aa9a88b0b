-- Who is a member of which unit now: memberships of units that have not ended. Queries about people in reach read this view, so that
-- none of them can forget the condition. The planner expands it, so it has the plans of the table.
CREATE VIEW unit_members AS
SELECT membership_id, organization_id, user_id, unit_id FROM membership_units WHERE NOT is_deleted;
