-- How texts are compared and searched, and functions that the whole service uses.

CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- How texts are compared in searches and orders: without accents and case, final sigma as any other.
CREATE FUNCTION search_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(lower(public.unaccent('public.unaccent'::regdictionary, value)), 'ς', 'σ');

-- Returns a name without its case. A final sigma is the lower case of the same capital.
CREATE FUNCTION case_folded(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(lower(name), 'ς', 'σ');

-- What a search for `value` matches, for LIKE: anywhere, with % and _ as ordinary characters.
CREATE FUNCTION search_pattern(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '%' || regexp_replace(search_fold(value), '([\\%_])', '\\\1', 'g') || '%';

-- A search takes as long as its most common letters stand in rows: an index has to walk through every row that has
-- `request` or `example.com` in it, however rare the number beside them is. Numbers, hexadecimal ones too, say more than
-- the words around them, so an index looks for these alone where a search has one of five digits or more, and what it
-- finds is compared with all of the search.
CREATE FUNCTION search_numbers(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
  SELECT '%' || string_agg(number[1], '%' ORDER BY place) || '%'
  FROM regexp_matches(search_fold(value), '[0-9a-f]*[0-9][0-9a-f]*', 'g') WITH ORDINALITY AS found (number, place)
  WHERE length(number[1]) >= 5
);

-- Whether a folded text has the search in it, as `LIKE search_pattern(value)` says it, for conditions that a trigram
-- index serves. The planner takes it apart, so that of a search without a number only the first line is left; but not
-- where `folded` is a call of `search_fold`, as it would be called twice: there no index would be found.
CREATE FUNCTION search_finds(folded text, value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN folded LIKE COALESCE(search_numbers(value), search_pattern(value))
  AND (search_numbers(value) IS NULL OR strpos(folded, search_fold(value)) > 0);

-- What is searched of a person; a line each, so that nothing matches across them.
CREATE FUNCTION search_text_of_person(first_name text, last_name text, email text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN search_fold(first_name || ' ' || last_name || E'\n' || last_name || ' ' || first_name || E'\n' || email);

-- Only its owner may flush a GIN index, and the role of the API may own nothing (docs/operate/deploy.md, "Database roles").
-- Runs as the owner, takes no argument, and changes no row.

CREATE FUNCTION flush_search_indexes() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT COALESCE(sum(gin_clean_pending_list(c.oid)), 0)
  FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
  WHERE c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace AND pg_has_role(c.relowner, 'USAGE')
$$;

-- For writes that are sent together with COMMIT: if one changes no row, although the rows that were read under the lock require it, the
-- transaction is repeated (src/platform/db/transaction.ts), as after a serialization failure.
CREATE FUNCTION begin_again() RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Begin again' USING ERRCODE = 'serialization_failure';
END $$;
