-- What a returning member did before stays above the units that they are linked to now (rules 13.12). An instance of the version
-- before leaves the column null, as for members who never left.

-- Through units, only records from then on are in reach; null for all.
ALTER TABLE memberships ADD COLUMN reached_from timestamptz(3);
CREATE INDEX memberships_returned ON memberships (user_id, organization_id, reached_from) WHERE reached_from IS NOT NULL;
