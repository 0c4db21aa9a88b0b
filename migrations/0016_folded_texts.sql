-- Search texts are folded once, when they are written: an index that has the folded text lists, searches and counts the rows of one
-- organization without reading the table. Ordinary columns with triggers instead of generated columns, because adding a stored generated
-- column rewrites the table under a lock that stops all reads and writes.

ALTER TABLE todos ADD COLUMN search_title text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN search_subject text NOT NULL DEFAULT '';
ALTER TABLE user_invitations ADD COLUMN search_email text NOT NULL DEFAULT '';

CREATE FUNCTION todos_fold_title() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_title := search_fold(NEW.title);
  RETURN NEW;
END $$;

CREATE TRIGGER todos_fold_title BEFORE INSERT OR UPDATE OF title ON todos
FOR EACH ROW EXECUTE FUNCTION todos_fold_title();

CREATE FUNCTION tickets_fold_subject() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_subject := search_fold(NEW.subject);
  RETURN NEW;
END $$;

CREATE TRIGGER tickets_fold_subject BEFORE INSERT OR UPDATE OF subject ON tickets
FOR EACH ROW EXECUTE FUNCTION tickets_fold_subject();

CREATE FUNCTION user_invitations_fold_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_email := search_fold(NEW.email);
  RETURN NEW;
END $$;

CREATE TRIGGER user_invitations_fold_email BEFORE INSERT OR UPDATE OF email ON user_invitations
FOR EACH ROW EXECUTE FUNCTION user_invitations_fold_email();

-- Whether a trigram index finds a search: it has three letters or digits in a row, or two at the beginning or the end of a word.
CREATE FUNCTION search_has_trigrams(value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN search_fold(value) ~ '[[:alnum:]]{3}|[^[:alnum:]][[:alnum:]]{2}|[[:alnum:]]{2}[^[:alnum:]]';

-- As before, but a search without trigrams is compared by strpos, which no index serves: for LIKE the planner would read a whole
-- trigram index, that is, the rows of all organizations.
CREATE OR REPLACE FUNCTION search_finds(folded text, value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (NOT search_has_trigrams(value) OR folded LIKE COALESCE(search_numbers(value), search_pattern(value)))
  AND (search_has_trigrams(value) AND search_numbers(value) IS NULL OR strpos(folded, search_fold(value)) > 0);
