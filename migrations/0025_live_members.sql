-- Whether somebody is a live member is asked of every invitation's inviter. By the organization alone the index served
-- it as well as that of both, to a plan that was made while the organization was small, and then read all its members.
DROP INDEX memberships_live;
CREATE INDEX memberships_live ON memberships (organization_id, user_id) WHERE NOT is_deleted;
