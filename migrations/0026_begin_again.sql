-- For writes that travel with their commit: one that changes no row, although what was read under the lock says that it
-- must, lets its transaction begin again and read anew (src/platform/db/transaction.ts), as a failed serialization does.
CREATE FUNCTION begin_again() RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Begin again' USING ERRCODE = 'serialization_failure';
END $$;
