/* Roles that groups of a connection give. All writes are under the organization's lock. */

/* Returns what the groups of a person give by the mappings of a connection, each role at each place once. */
/* @name listGivenByGroups */
SELECT given.role_id, r.name AS role_name, given.unit_id, u.name AS "unit_name?"
FROM (
  SELECT DISTINCT m.role_id, m.unit_id FROM sso_mappings m
  WHERE m.connection_id = :connectionId! AND m.group_name = ANY (:groups!::text[])
) given
JOIN roles r ON r.id = given.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = given.unit_id
WHERE u.is_deleted IS NOT TRUE
ORDER BY given.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, given.role_id;

/* @name hasMappings */
SELECT EXISTS (SELECT FROM sso_mappings WHERE connection_id = :connectionId!) AS "has_mappings!";

/* Returns what a connection gives a member who has no other role. */
/* @name listDefaultAssignments */
SELECT a.role_id, r.name AS role_name, a.unit_id, u.name AS "unit_name?"
FROM sso_connection_assignments a
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE a.connection_id = :connectionId! AND u.is_deleted IS NOT TRUE
ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.role_id;

/* Returns the members to whom a connection gives a role at a place that no mapping gives by the groups of their last sign-in. */
/* @name listMembersWithRole */
SELECT m.id, m.user_id
FROM membership_assignments a JOIN memberships m ON m.id = a.membership_id AND NOT m.is_deleted
WHERE a.connection_id = :connectionId! AND a.role_id = :roleId! AND a.unit_id IS NOT DISTINCT FROM :unitId::uuid
  AND NOT EXISTS (
    SELECT FROM sso_identities i JOIN sso_mappings given ON given.connection_id = i.connection_id AND given.group_name = ANY (i.groups)
    WHERE i.connection_id = a.connection_id AND i.user_id = m.user_id
      AND given.role_id = a.role_id AND given.unit_id IS NOT DISTINCT FROM a.unit_id)
ORDER BY m.user_id;
