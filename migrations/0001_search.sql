-- How texts are compared, sorted and searched, and two functions that the whole service uses.

CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Sorts names of things: "Unit 2" before "Unit 10". After an update of the ICU library, see docs/operate/deploy.md.
CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true');

-- Returns the folded form of a text for searches and orders. It is the same for canonically equivalent and compatible texts (NFKC). It has
-- no accents and no case, and a final sigma equals any other sigma.
CREATE FUNCTION search_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(lower(public.unaccent('public.unaccent'::regdictionary, normalize(value, NFKC))), 'ς', 'σ');

-- Returns the form in which names are compared that must be unique: NFKC, without case, without default-ignorable characters (as of
-- Unicode 16, and the blank U+2800 and U+FFF9 to U+FFFB), and without spaces at its ends. The first normalization removes what separates
-- a letter from its marks, the second one composes them.
CREATE FUNCTION case_folded(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN btrim(normalize(casefold(regexp_replace(normalize(name, NFKD),
  '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
  '', 'g') COLLATE pg_unicode_fast), NFKC));

-- Returns a LIKE pattern that finds `value` anywhere in a folded text, with % and _ as ordinary characters.
CREATE FUNCTION search_pattern(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '%' || regexp_replace(search_fold(value), '([\\%_])', '\\\1', 'g') || '%';

-- Returns a LIKE pattern of the long numbers in a search, or null if it has none. A trigram index reads all rows that contain the common
-- words of a search, such as `request` or `example.com`, however rare the number beside them is. So if a search contains numbers of five
-- or more digits, also hexadecimal ones, the index looks for these only, and the rows found are compared with the whole search.
CREATE FUNCTION search_numbers(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
  SELECT '%' || string_agg(number[1], '%' ORDER BY place) || '%'
  FROM regexp_matches(search_fold(value), '[0-9a-f]*[0-9][0-9a-f]*', 'g') WITH ORDINALITY AS found (number, place)
  WHERE length(number[1]) >= 5
);

-- Whether a trigram index can serve a search: it has three letters or digits in a row, or two at the beginning or the end of a word.
CREATE FUNCTION search_has_trigrams(value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN search_fold(value) ~ '[[:alnum:]]{3}|[^[:alnum:]][[:alnum:]]{2}|[[:alnum:]]{2}[^[:alnum:]]';

-- Whether a folded text contains the search, as `LIKE search_pattern(value)`, for conditions that a trigram index serves. The planner inlines
-- the function and simplifies it for a constant search. It does not inline it if `folded` is a call of `search_fold`, which would run twice:
-- then no index is used. A search without trigrams is compared by strpos, which no index serves: for LIKE the planner would read a whole
-- trigram index, that is, the rows of all organizations.
CREATE FUNCTION search_finds(folded text, value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (NOT search_has_trigrams(value) OR folded LIKE COALESCE(search_numbers(value), search_pattern(value)))
  AND (search_has_trigrams(value) AND search_numbers(value) IS NULL OR strpos(folded, search_fold(value)) > 0);

-- Returns the text in which a person is searched. Names and email are on lines of their own, so that no search matches across them.
CREATE FUNCTION search_text_of_person(first_name text, last_name text, email text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN search_fold(first_name || ' ' || last_name || E'\n' || last_name || ' ' || first_name || E'\n' || email);

-- Moves the pending lists of the GIN indexes into the indexes. Only the owner of an index may do so, and the role of the API may own nothing
-- (docs/operate/deploy.md, "Database roles"). So the function runs as its owner; it takes no argument and changes no row.
CREATE FUNCTION flush_search_indexes() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT COALESCE(sum(gin_clean_pending_list(c.oid)), 0)
  FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
  WHERE c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace AND pg_has_role(c.relowner, 'USAGE')
$$;
