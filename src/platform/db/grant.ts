import pg from "pg";

/** The name of the trigger function that makes a table append-only. */
const APPEND_ONLY_TRIGGER = "refuse_change_of_append_only_table";
const ROWS = "SELECT, INSERT, UPDATE, DELETE";

/** The functions that run as their owner and that the service calls. Trigger functions need no privilege. */
const FUNCTIONS_OF_OWNER = [
  "begin_audit_period(integer)",
  "begin_event_days(integer)",
  "change_account_email(uuid)",
  "complete_account_email(uuid, text, integer)",
  "confirm_account_email(uuid, text, uuid)",
  "drop_audit_period(text, integer, uuid[], integer[])",
  "drop_event_days(integer)",
  "flush_search_indexes()",
  "pseudonymise_deleted_account(uuid, integer)",
  "undo_account_email(uuid, text)",
];

/**
 * The privileges on tables whose rows the service does not change freely. Other changes are made by functions that run as their
 * owner.
 */
const RESTRICTED: Record<string, string> = {
  account_emails: "SELECT",
  email_changes: `SELECT, UPDATE (canceled_at, undone_at),
    INSERT (user_id, old_email, new_email, needs_old, old_token_hash, new_token_hash, expires_at)`,
  event_outbox: "SELECT, INSERT, DELETE",
  events: "SELECT, INSERT",
  feed: "SELECT, INSERT",
  retired_emails: "SELECT",
};

type Table = {
  name: string;
  root: string;
  isMigrations: boolean;
  isPartition: boolean;
  isAppendOnly: boolean;
};

const FIND_TABLES = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name, c.relispartition AS "isPartition",
    coalesce((SELECT relname FROM pg_class WHERE oid = pg_partition_root(c.oid)), c.relname) AS root,
    c.relname IN ('migrations', 'product_migrations') AS "isMigrations",
    EXISTS (SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
            WHERE t.tgrelid = coalesce(pg_partition_root(c.oid), c.oid) AND p.proname = '${APPEND_ONLY_TRIGGER}') AS "isAppendOnly"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v') AND pg_has_role(c.relowner, 'USAGE')
  ORDER BY 1`;

/** Finds functions that run as their owner, without those that are granted. */
const FIND_FUNCTIONS = `
  SELECT p.oid::regprocedure::text AS name FROM pg_proc p
  WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace AND pg_has_role(p.proowner, 'USAGE')
    AND p.oid <> ALL ($1::text[]::regprocedure[])`;

/**
 * Finds the role, and whether it is a superuser or an owner. The owner of the schema or of the database can drop
 * everything in it, even objects of other owners.
 */
const FIND_ROLE = `
  SELECT EXISTS (SELECT FROM pg_roles s WHERE s.rolsuper AND pg_has_role(r.oid, s.oid, 'MEMBER')) AS "isSuperuser",
    pg_has_role(r.oid, current_user, 'MEMBER')
      OR EXISTS (SELECT FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(r.oid, d.datdba, 'MEMBER'))
      OR EXISTS (SELECT FROM pg_namespace n WHERE n.nspname IN ('public', 'pgboss')
                 AND pg_has_role(r.oid, n.nspowner, 'MEMBER')) AS "isOwner"
  FROM pg_roles r WHERE r.rolname = $1`;

/** Finds privileges that the role has without these grants: from PUBLIC, or from roles that it is a member of. */
const FIND_EXCESS = `
  SELECT 'CREATE on schema ' || nspname AS privilege FROM pg_namespace
  WHERE nspname IN ('public', 'pgboss') AND has_schema_privilege($1, oid, 'CREATE')
  UNION ALL
  SELECT privilege || ' on ' || oid::regclass FROM unnest($2::text[]::regclass[]) AS append_only (oid),
    unnest('{UPDATE,DELETE,TRUNCATE,TRIGGER}'::text[]) AS privilege
  WHERE CASE privilege WHEN 'UPDATE' THEN has_any_column_privilege($1, oid, privilege)
    ELSE has_table_privilege($1, oid, privilege) END
  ORDER BY 1`;

/**
 * Grants a role exactly what the service needs at run time: to read and write rows, and to call some functions that run as their
 * owner. The role can neither change nor
 * drop tables, triggers and functions, nor truncate. In append-only tables it can only read and insert rows. Must
 * be run by the owner of the tables, after the migrations. Idempotent, safe to run concurrently, and in one
 * transaction, so that a running service never lacks a privilege.
 * @throws if the role does not exist, is an owner or a superuser, or has further privileges
 */
export async function grantToApiRole(ownerUrl: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("BEGIN");
    // Serializes concurrent grants, which would fail on the same table.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('grant', 0))");
    const [found] = (await client.query(FIND_ROLE, [role])).rows;
    if (found === undefined) throw new Error("The role of DATABASE_API_ROLE does not exist");
    if (found.isSuperuser || found.isOwner)
      throw new Error(
        "The role of DATABASE_API_ROLE must not be a superuser or own the tables, their schemas or the database",
      );
    const { rows } = await client.query<Table>(FIND_TABLES);
    const to = pg.escapeIdentifier(role);
    const ofOwner = await client.query<{ name: string }>(FIND_FUNCTIONS, [FUNCTIONS_OF_OWNER]);
    const revoked = ofOwner.rows.map(({ name }) => `REVOKE EXECUTE ON FUNCTION ${name} FROM ${to}`);
    const granted = rows.flatMap((table) => grantsOn(table, to));
    await client.query([...commonGrants(to), ...revoked, ...granted].join(";\n"));
    const appendOnly = rows.filter(({ isAppendOnly }) => isAppendOnly).map(({ name }) => name);
    const excess = (await client.query<{ privilege: string }>(FIND_EXCESS, [role, appendOnly])).rows;
    if (excess.length > 0)
      throw new Error(
        `The role of DATABASE_API_ROLE must not have ${excess.map(({ privilege }) => privilege).join(", ")}`,
      );
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

const commonGrants = (to: string): string[] => [
  `GRANT USAGE ON SCHEMA public, pgboss TO ${to}`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public, pgboss TO ${to}`,
  `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public, pgboss TO ${to}`,
  `GRANT ${ROWS} ON ALL TABLES IN SCHEMA pgboss TO ${to}`,
  // After a later migration and before its grants, triggers may insert into new tables for the running version.
  // UPDATE and DELETE are not granted by default: a new table may be a partition of an append-only one.
  `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT ON TABLES TO ${to}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${to}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA pgboss GRANT ${ROWS} ON TABLES TO ${to}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA pgboss GRANT USAGE ON SEQUENCES TO ${to}`,
];

function grantsOn({ name, root, isMigrations, isPartition, isAppendOnly }: Table, to: string): string[] {
  // The role gets no privilege on partitions, because statement triggers of the parent table do not fire for
  // statements on a partition. The service needs none.
  const restricted = isMigrations ? "SELECT" : isAppendOnly ? "SELECT, INSERT" : RESTRICTED[root];
  const none = isPartition && restricted !== undefined;
  const granted = restricted ?? ROWS;
  return [`REVOKE ALL ON ${name} FROM ${to}`, ...(none ? [] : [`GRANT ${granted} ON ${name} TO ${to}`])];
}
