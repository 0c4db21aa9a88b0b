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
