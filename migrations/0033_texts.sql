-- no-transaction
-- Compares texts in one normal form, and sorts numbers within names by their value. Nothing here blocks a writer: rows are changed in
-- batches of 2,000 that commit, and indexes are built concurrently. Every statement may run again: an interrupted run is repeated as a
-- whole. Until it is replaced, the previous version sorts by these names without an index.

-- An interrupted REINDEX leaves an invalid index behind.
DO $$
DECLARE
  broken regclass;
BEGIN
  FOR broken IN
    SELECT i.indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid AND c.relname ~ '_ccnew\d*$'
  LOOP
    EXECUTE format('DROP INDEX %s', broken);
  END LOOP;
END $$;

-- The folded form of a text for searches and orders: the same for canonically equivalent and compatible texts (NFKC), without accents and
-- case, and with a final sigma as any other.
CREATE OR REPLACE FUNCTION search_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(lower(public.unaccent('public.unaccent'::regdictionary, normalize(value, NFKC))), 'ς', 'σ');

-- The form in which names are compared that must be unique: NFKC, without case, without default-ignorable characters (as of Unicode 16,
-- and the blank U+2800 and U+FFF9 to U+FFFB), and without spaces at its ends. The first normalization removes what separates a
-- letter from its marks, the second one composes them.
CREATE OR REPLACE FUNCTION case_folded(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN btrim(normalize(casefold(regexp_replace(normalize(name, NFKD),
  '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
  '', 'g') COLLATE pg_unicode_fast), NFKC));

-- Sorts names of things: "Unit 2" before "Unit 10". After an update of the ICU library, see docs/operate/deploy.md.
CREATE COLLATION IF NOT EXISTS natural_order (provider = icu, locale = 'und-u-kn-true');

-- Roles and service accounts whose names are the same by now: the oldest keeps its name, others get a number, as " (2)". A name of a
-- built-in role stays with that role. The keys are computed here, because the index still has those of before.
DO $$
DECLARE
  of_table text;
  clash record;
  free text;
  is_taken boolean;
BEGIN
  FOREACH of_table IN ARRAY ARRAY['roles', 'service_accounts'] LOOP
    FOR clash IN EXECUTE format('
      WITH named AS MATERIALIZED (
        SELECT id, organization_id, name, created_at, case_folded(name) AS key FROM %I WHERE NOT is_deleted
      ), ranked AS (
        SELECT *, row_number() OVER (PARTITION BY organization_id, key ORDER BY created_at, id) AS place FROM named
      )
      SELECT id, organization_id, name FROM ranked
      WHERE organization_id IS NOT NULL AND (place > 1 OR key IN (SELECT key FROM named WHERE organization_id IS NULL))
      ORDER BY created_at, id', of_table)
    LOOP
      FOR number IN 2..10000 LOOP
        free := format('%s (%s)', rtrim(left(clash.name, 90)), number);
        EXECUTE format('SELECT EXISTS (SELECT FROM %I
          WHERE organization_id = $1 AND NOT is_deleted AND case_folded(name) || '''' = case_folded($2))', of_table)
        INTO is_taken USING clash.organization_id, free;
        EXIT WHEN NOT is_taken;
      END LOOP;
      EXECUTE format('UPDATE %I SET name = $1 WHERE id = $2', of_table) USING free, clash.id;
    END LOOP;
  END LOOP;
END $$;

REINDEX INDEX CONCURRENTLY roles_name_unique;
REINDEX INDEX CONCURRENTLY service_accounts_name_unique;

-- Folds the texts again that are not in the normal form: others have not changed. An update of a name computes its generated column.
DO $$
DECLARE
  refold record;
  last uuid;
BEGIN
  FOR refold IN
    SELECT * FROM (VALUES
      ('todos', 'search_title = search_fold(title)', 'title'),
      ('tickets', 'search_subject = search_fold(subject)', 'subject'),
      ('units', 'name = name', 'name'),
      ('organizations', 'name = name', 'name'),
      ('users', 'last_name = last_name', 'first_name || '' '' || last_name')) AS refolds (of_table, assignment, value)
  LOOP
    last := '00000000-0000-0000-0000-000000000000';
    LOOP
      EXECUTE format('
        WITH batch AS (
          SELECT id FROM %1$I WHERE id > $1 ORDER BY id LIMIT 2000
        ), folded AS (
          UPDATE %1$I t SET %2$s FROM batch WHERE t.id = batch.id AND (%3$s) IS NOT NFKC NORMALIZED
        )
        SELECT max(id::text)::uuid FROM batch', refold.of_table, refold.assignment, refold.value)
      INTO last USING last;
      COMMIT;
      EXIT WHEN last IS NULL;
    END LOOP;
  END LOOP;
END $$;

-- Indexes on expressions of the function.
REINDEX INDEX CONCURRENTLY organizations_search;
REINDEX INDEX CONCURRENTLY service_accounts_search;
REINDEX INDEX CONCURRENTLY users_search;

-- Indexes that sort by a name.
DROP INDEX CONCURRENTLY IF EXISTS todos_title_order;
CREATE INDEX CONCURRENTLY todos_title_order ON todos (organization_id, search_title COLLATE natural_order, id)
  INCLUDE (user_id, completed) WHERE NOT is_deleted;
DROP INDEX CONCURRENTLY IF EXISTS todos_by_title;

DROP INDEX CONCURRENTLY IF EXISTS memberships_last_name_order;
CREATE INDEX CONCURRENTLY memberships_last_name_order ON memberships (organization_id, sort_name COLLATE natural_order, user_id)
  INCLUDE (search_text) WHERE NOT is_deleted;
DROP INDEX CONCURRENTLY IF EXISTS memberships_by_last_name;

DROP INDEX CONCURRENTLY IF EXISTS organizations_name_order;
CREATE INDEX CONCURRENTLY organizations_name_order ON organizations (search_name COLLATE natural_order, id) WHERE NOT is_deleted;
DROP INDEX CONCURRENTLY IF EXISTS organizations_by_name;

DROP INDEX CONCURRENTLY IF EXISTS users_last_name_order;
CREATE INDEX CONCURRENTLY users_last_name_order ON users (search_fold(last_name) COLLATE natural_order, id) WHERE NOT is_deleted;
DROP INDEX CONCURRENTLY IF EXISTS users_by_name;

ANALYZE todos, memberships, organizations, users;
