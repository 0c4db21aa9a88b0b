-- Functions that run as their owner are not for every role that may connect: `bun run migrate` grants the role of DATABASE_API_ROLE those that
-- the service calls (src/platform/db/grant.ts). A later migration that creates such a function revokes EXECUTE from PUBLIC itself.
DO $$
DECLARE
  of_owner regprocedure;
BEGIN
  FOR of_owner IN SELECT oid FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', of_owner);
  END LOOP;
END $$;
