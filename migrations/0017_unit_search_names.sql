-- The name as lists sort and search it. Trees are listed whole, and folding every name anew was most of what that took.
ALTER TABLE units ADD COLUMN search_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_fold(name)) STORED;
