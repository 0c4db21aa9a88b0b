-- Roles and units in the order that people expect, as elsewhere: `Unit 2` before `Unit 10`, whatever the locale of the database.
CREATE OR REPLACE VIEW domains_with_assignments AS
SELECT d.*,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, u.name)
      ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.role_id)
    FROM organization_domain_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units u ON u.id = a.unit_id
    WHERE a.domain_id = d.id) AS assignments
FROM organization_domains d;

CREATE OR REPLACE VIEW connections_with_details AS
SELECT c.*, creator.email AS created_by_email,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, u.name)
      ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.role_id)
    FROM sso_connection_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units u ON u.id = a.unit_id
    WHERE a.connection_id = c.id) AS assignments,
  (SELECT json_agg(json_build_array(d.id, d.domain) ORDER BY d.domain COLLATE "C")
    FROM organization_domains d WHERE d.connection_id = c.id) AS domains,
  (SELECT count(*)::int FROM sso_identities i WHERE i.connection_id = c.id) AS identity_count,
  (SELECT count(*)::int FROM sso_mappings m WHERE m.connection_id = c.id) AS mapping_count
FROM sso_connections c LEFT JOIN users creator ON creator.id = c.created_by_id AND NOT creator.is_deleted
WHERE NOT c.is_deleted;
