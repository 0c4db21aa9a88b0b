-- no-transaction
-- Assignments, links and sub-units belong to the organization of their membership, role and unit. Each constraint is added
-- without looking at the rows, which takes no time, and then checked beside readers and writers. Can be repeated.

ALTER TABLE units DROP CONSTRAINT IF EXISTS units_parent_of_organization;
ALTER TABLE units ADD CONSTRAINT units_parent_of_organization
  FOREIGN KEY (organization_id, parent_id) REFERENCES units (organization_id, id) NOT VALID;
ALTER TABLE units VALIDATE CONSTRAINT units_parent_of_organization;

ALTER TABLE membership_assignments DROP CONSTRAINT IF EXISTS membership_assignments_membership_of_organization;
ALTER TABLE membership_assignments ADD CONSTRAINT membership_assignments_membership_of_organization
  FOREIGN KEY (organization_id, membership_id) REFERENCES memberships (organization_id, id) NOT VALID;
ALTER TABLE membership_assignments VALIDATE CONSTRAINT membership_assignments_membership_of_organization;

ALTER TABLE membership_assignments DROP CONSTRAINT IF EXISTS membership_assignments_unit_of_organization;
ALTER TABLE membership_assignments ADD CONSTRAINT membership_assignments_unit_of_organization
  FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id) NOT VALID;
ALTER TABLE membership_assignments VALIDATE CONSTRAINT membership_assignments_unit_of_organization;

ALTER TABLE membership_units DROP CONSTRAINT IF EXISTS membership_units_membership_of_organization;
ALTER TABLE membership_units ADD CONSTRAINT membership_units_membership_of_organization
  FOREIGN KEY (organization_id, membership_id) REFERENCES memberships (organization_id, id) NOT VALID;
ALTER TABLE membership_units VALIDATE CONSTRAINT membership_units_membership_of_organization;

ALTER TABLE membership_units DROP CONSTRAINT IF EXISTS membership_units_unit_of_organization;
ALTER TABLE membership_units ADD CONSTRAINT membership_units_unit_of_organization
  FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id) NOT VALID;
ALTER TABLE membership_units VALIDATE CONSTRAINT membership_units_unit_of_organization;

-- Each of these says less than one of the above, and would cost another look-up for each row.
ALTER TABLE units DROP CONSTRAINT IF EXISTS units_parent_id_fkey;
ALTER TABLE membership_assignments DROP CONSTRAINT IF EXISTS membership_assignments_membership_id_fkey;
ALTER TABLE membership_assignments DROP CONSTRAINT IF EXISTS membership_assignments_unit_id_fkey;
ALTER TABLE membership_units DROP CONSTRAINT IF EXISTS membership_units_membership_id_fkey;
ALTER TABLE membership_units DROP CONSTRAINT IF EXISTS membership_units_unit_id_fkey;

-- Built-in roles belong to no organization, so no key can say that a role belongs to the organization or is built in. (The last
-- line of a function is the only one that ends with a semicolon, because statements are separated there.)
CREATE OR REPLACE FUNCTION refuse_foreign_role() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM roles r WHERE r.id = NEW.role_id AND r.organization_id <> NEW.organization_id)
  THEN RAISE EXCEPTION 'The role belongs to another organization' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME; END IF; RETURN NEW; END $$;
CREATE OR REPLACE TRIGGER membership_assignments_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON membership_assignments FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();
CREATE OR REPLACE FUNCTION refuse_other_organization() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'A role stays in its organization' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME; END $$;
CREATE OR REPLACE TRIGGER roles_stay_in_organization BEFORE UPDATE OF organization_id ON roles
FOR EACH ROW WHEN (OLD.organization_id IS DISTINCT FROM NEW.organization_id) EXECUTE FUNCTION refuse_other_organization();
