/* @name findOrganization */
SELECT id, name, slug, status, default_role_id, connected_apps, created_at FROM organizations WHERE id = :id! AND NOT is_deleted;

/* Returns the smallest free number for a slug: `acme` counts as 1, `acme-2` as 2, and so on. `acme-1`, which a user
   can choose, has no number. Slugs of deleted organizations count as taken. */
/* @name findFreeSlugNumber */
WITH used AS (
  SELECT CASE WHEN slug = :base! THEN 1 ELSE substr(slug, length(:base) + 2)::int END AS number
  FROM organizations
  WHERE slug = :base OR slug LIKE :base || '-%' AND substr(slug, length(:base) + 2) ~ '^([2-9]|[1-9][0-9]{1,8})$'
)
SELECT candidate AS "number!"
FROM generate_series(:from!::int, (SELECT count(*)::int FROM used) + :from) candidate
WHERE candidate NOT IN (SELECT number FROM used)
ORDER BY candidate LIMIT 1;

/* Inserts an organization. Returns no row if the slug is taken. */
/* @name insertOrganization */
INSERT INTO organizations (name, slug, origin, founded_by_id) VALUES (:name!, :slug!, :origin!, :foundedById)
ON CONFLICT ON CONSTRAINT organizations_slug_unique DO NOTHING
RETURNING id;

/* Counts the organizations that a user created in the last :seconds by the route for another organization. Those
   created by registration do not count. */
/* @name countCreated */
SELECT count(*)::int AS "count!",
  COALESCE(ceil(extract(epoch FROM min(created_at) + make_interval(secs => :seconds!) - now())), 1)::int AS "seconds_left!"
FROM organizations
WHERE founded_by_id = :userId! AND origin = 'SELF_SERVICE' AND created_at > now() - make_interval(secs => :seconds);

/* Returns whether a user ever created an organization, including deleted ones. */
/* @name hasCreatedOrganization */
SELECT EXISTS (SELECT FROM organizations WHERE founded_by_id = :userId!) AS "has_created!";

/* @name updateOrganization */
UPDATE organizations
SET name = :name!, slug = :slug!, default_role_id = :defaultRoleId, connected_apps = :connectedApps, updated_at = now()
WHERE id = :id! AND NOT is_deleted;

/* @name setOrganizationStatus */
UPDATE organizations SET status = :status!, updated_at = now()
WHERE id = :id! AND status <> :status AND NOT is_deleted
RETURNING id;

/* @name deleteOrganization */
UPDATE organizations SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE id = :id! AND NOT is_deleted
RETURNING name, slug;

/* @list organizations from organizations o by id */
/* @columns */ o.id, o.name, o.slug, o.status, o.default_role_id, o.connected_apps, o.created_at,
  (SELECT COALESCE(sum(c.rows), 0)::int FROM counted_rows c
   WHERE c.list = 'memberships' AND c.owner = o.id AND c.part IS NULL) AS "member_count!"
/* @where */ NOT o.is_deleted
/* @if organizations */ o.id = ANY (:organizations)
/* @if search */ search_fold(o.name || E'\n' || o.slug) LIKE search_pattern(:search)
/* @sort createdAt */ o.created_at
/* @sort name */ o.search_name COLLATE natural_order
/* @total organizations() */
/* @find findOrganizationRow */ o.id = :id!;
