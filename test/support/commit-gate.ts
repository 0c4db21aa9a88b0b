import { SQL } from "bun";
import { until } from "./cluster.ts";
import type { Service } from "./service.ts";

/** The key of the advisory lock for which every transaction that inserted into the table waits during its COMMIT. */
const GATE = 4_711;

/** Creates the gate: a deferred trigger, which runs during COMMIT. The gate is open until it is closed. */
export async function createCommitGate(t: Service, table: "todos" | "user_invitations" | "units" = "todos") {
  await t.sql(
    `CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NULL; END $$`,
  );
  await t.sql(
    `CREATE CONSTRAINT TRIGGER wait_at_gate AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`,
  );
  return {
    /** Closes the gate. `waiting` resolves with the pid of the backend that waits in its COMMIT. */
    async close() {
      const holder = new SQL({ url: t.databaseUrl, max: 1 });
      const connection = await holder.reserve();
      await connection.unsafe("SELECT pg_advisory_lock($1)", [GATE]);
      return {
        waiting: (): Promise<number> =>
          until(async () => {
            const [found] = await t.sql<{ pid: number }>(
              `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${GATE}
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
            );
            return found?.pid ?? null;
          }),
        async open() {
          await connection.unsafe("SELECT pg_advisory_unlock($1)", [GATE]);
          connection.release();
          await holder.close();
        },
      };
    },
  };
}

/** Waits until a backend has ended, and so its transaction. */
export const untilGone = (t: Service, pid: number) =>
  until(async () =>
    (await t.sql("SELECT FROM pg_stat_activity WHERE pid = $1", [pid])).length === 0 ? true : null,
  );
