import { afterAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Service } from "../../../src/core/context.ts";
import { systemCall } from "../../../src/core/context.ts";
import { createDatabase } from "../../../src/dev/postgres.ts";
import { connect } from "../../../src/platform/db/connection.ts";
import { bunDriver } from "../../../src/platform/db/drivers/bun.ts";
import { pgDriver } from "../../../src/platform/db/drivers/pg.ts";
import { DatabaseUnavailable, isConnectionLost } from "../../../src/platform/db/failures.ts";
import { transaction } from "../../../src/platform/db/transaction.ts";
import { until } from "../../support/cluster.ts";

/* The behaviour that the service needs from both database drivers, so that they are interchangeable. */
const url = await createDatabase(
  JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}").url,
  `test_${crypto.randomUUID().replaceAll("-", "")}`,
);
const sql = new SQL({ url, max: 2 });
afterAll(() => sql.close());
await sql`CREATE TABLE numbers (id int CONSTRAINT numbers_once PRIMARY KEY, value int NOT NULL DEFAULT 0)`;

const failure = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error) => error,
  );
const terminate = (name: string) =>
  sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE application_name = ${name} AND datname = current_database()`;

/** Values of each type that the service sends and reads. */
const VALUES: [type: string, value: unknown][] = [
  ["int4", 7],
  ["int8", "9007199254740993"],
  ["int8", 12],
  ["text", 'it\'s \\ "quoted"'],
  ["text", null],
  ["text", undefined],
  ["boolean", true],
  ["uuid", "01890a5d-ac96-774b-bcce-b302099a8057"],
  ["timestamptz", new Date("2026-03-04T05:06:07.089Z")],
  ["timestamptz", "2026-03-04T05:06:07.089Z"],
  ["timestamptz", new Date("+275760-09-13T00:00:00.000Z")],
  ["timestamptz", new Date("0001-01-01T00:00:00.000Z")],
  ["timestamptz", new Date("-000043-03-15T12:00:00.000Z")],
  ["timestamp", new Date("2026-03-04T05:06:07.089Z")],
  ["date", "2026-03-04"],
  ["jsonb", { a: [1, "two", null], b: { c: true } }],
  ["jsonb", "text"],
  ["jsonb", [1, 2]],
  ["json", { a: 1 }],
  ["json", '[{"written":"already"}]'],
  ["bytea", new Uint8Array([0, 1, 254, 255])],
  ["text[]", ["a", 'b "c", {d}']],
  ["text[]", []],
  ["int4[]", [1, 2]],
  ["uuid[]", ["01890a5d-ac96-774b-bcce-b302099a8057"]],
  ["text[]::boolean[]", [true, false]],
  ["inet", "2001:db8::1"],
];

for (const [name, driver] of Object.entries({ bun: bunDriver, pg: pgDriver })) {
  describe(`${name}:`, () => {
    const db = connect({ url, listenUrl: url, poolSize: 2, applicationName: name, driver });
    afterAll(() => db.close());
    const call = systemCall({ db } as Service);
    const numbers = () => sql`SELECT id, value FROM numbers WHERE id < 100 ORDER BY id`.values();

    test("column names are in camel case, for any number of concurrent statements", async () => {
      const rows = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          db.query('SELECT $1::int AS two_words, 1 AS "not_null!"', [index]),
        ),
      );
      expect(rows.map((row) => ({ ...(row[0] as object) }))).toEqual(
        Array.from({ length: 200 }, (_, index) => ({ twoWords: index, notNull: 1 })),
      );
    });

    test("a transaction that throws is rolled back, and its handle is unusable afterwards", async () => {
      await sql`DELETE FROM numbers`;
      let late: () => PromiseLike<unknown> = async () => {};
      const thrown = new Error("no");
      const error = await failure(
        transaction(call, async (tx) => {
          late = () => tx.db.query("INSERT INTO numbers VALUES (9)", []);
          await tx.db.query("INSERT INTO numbers VALUES (1)", []);
          throw thrown;
        }),
      );
      expect(error).toBe(thrown);
      expect(await failure(late())).not.toBeNull();
      expect(await numbers()).toEqual([]);
    });

    test("deadlocked transactions are retried", async () => {
      await sql`DELETE FROM numbers`;
      await sql`INSERT INTO numbers VALUES (10), (11)`;
      let runs = 0;
      let holding = 0;
      const { promise: both, resolve } = Promise.withResolvers<void>();
      const crossing = (ids: number[]) =>
        transaction(call, async (tx) => {
          runs += 1;
          await tx.db.query("UPDATE numbers SET value = value + 1 WHERE id = $1", [ids[0]]);
          // Both transactions have locked their first row.
          holding += 1;
          if (holding === 2) resolve();
          await both;
          await tx.db.query("UPDATE numbers SET value = value + 1 WHERE id = $1", [ids[1]]);
        });
      await Promise.all([crossing([10, 11]), crossing([11, 10])]);
      expect(runs).toBeGreaterThan(2);
      expect(await numbers()).toEqual([
        [10, 2],
        [11, 2],
      ]);
    });

    test("a connection lost during a transaction is replaced, and the transaction restarts", async () => {
      await sql`DELETE FROM numbers`;
      let runs = 0;
      await transaction(call, async (tx) => {
        runs += 1;
        await tx.db.query("INSERT INTO numbers VALUES ($1)", [runs]);
        // Runs once: idle connections of the pool are terminated as well, and each one costs a retry to detect.
        if (runs === 1) await terminate(name);
        await tx.db.query("UPDATE numbers SET value = 1", []);
      });
      expect(runs).toBeGreaterThan(1);
      expect(await numbers()).toEqual([[runs, 1]]);
    });

    test("after its connection is lost, no statement of a transaction runs on another connection", async () => {
      await sql`DELETE FROM numbers`;
      const work = db.begin(
        async ({ pipelined }) => {
          await pipelined.query("INSERT INTO numbers VALUES ($1)", [20]);
          await pipelined.query("SELECT pg_sleep($1::float8)", [20]);
          // These two statements wait behind a running one, and are not yet prepared on the connection.
          await pipelined.query("INSERT INTO numbers VALUES ($1, 1)", [21]);
          await pipelined.query("INSERT INTO numbers VALUES ($1, 2)", [22]);
        },
        { deadlineAt: performance.now() + 60_000 },
      );
      const failed = failure(work);
      await until(async () => {
        const [asleep] =
          await sql`SELECT pid FROM pg_stat_activity WHERE application_name = ${name} AND wait_event = 'PgSleep'`;
        return asleep ?? null;
      });
      await terminate(name);
      expect(isConnectionLost(await failed)).toBe(true);
      // A driver that reconnects by itself would do so within this time.
      await Bun.sleep(500);
      expect(await numbers()).toEqual([]);
    });

    test("a statement with a value that cannot be serialized fails its transaction, even if it is not awaited", async () => {
      await sql`DELETE FROM numbers`;
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      for (const value of [circular, [circular], { big: 1n }, Symbol("none"), new Date(Number.NaN)]) {
        const error = await failure(
          transaction(call, async (tx) => {
            await tx.effects.query("INSERT INTO numbers VALUES (30)", []);
            await tx.effects.query("SELECT $1::jsonb", [value]);
            await tx.effects.query("INSERT INTO numbers VALUES (31)", []);
          }),
        );
        expect(error).not.toBeNull();
        expect(await numbers()).toEqual([]);
      }
    });

    test("a read whose connection is lost is retried", async () => {
      const reads = `${name}-reads`;
      await db.query("SELECT 1", []);
      await terminate(reads);
      expect(await db.query("SELECT 1 AS one", [])).toHaveLength(1);
      let isFirst = true;
      const slow = Promise.all(
        Array.from({ length: 20 }, () => db.query("SELECT pg_sleep(0.3), 1 AS one", [])),
      );
      await until(async () => {
        const [busy] =
          await sql`SELECT FROM pg_stat_activity WHERE application_name = ${reads} AND state = 'active'`;
        if (busy && isFirst) await terminate(reads);
        if (busy) isFirst = false;
        return isFirst ? null : true;
      });
      expect((await slow).flat()).toHaveLength(20);
    });

    test("a caller that waits too long for a connection gets an error, and the next caller is served", async () => {
      const { promise: enough, resolve } = Promise.withResolvers<void>();
      const deadlineAt = () => performance.now() + 60_000;
      const holding = [1, 2].map(() => db.begin(() => enough, { deadlineAt: deadlineAt() }));
      const late = await failure(db.begin(async () => {}, { deadlineAt: performance.now() + 300 }));
      expect(late).toBeInstanceOf(DatabaseUnavailable);
      const next = db.begin(async (tx) => tx.query("SELECT 1 AS one", []), { deadlineAt: deadlineAt() });
      resolve();
      await Promise.all(holding);
      expect(await next).toHaveLength(1);
    });

    test("a transaction that exceeds its deadline is aborted and commits nothing", async () => {
      await sql`DELETE FROM numbers`;
      const error = await failure(
        db.begin(
          async (tx) => {
            await tx.query("INSERT INTO numbers VALUES (50)", []);
            await tx.query("SELECT pg_sleep(2)", []);
          },
          { deadlineAt: performance.now() + 300 },
        ),
      );
      expect(error).toBeInstanceOf(DatabaseUnavailable);
      await Bun.sleep(2_200);
      expect(await numbers()).toEqual([]);
      expect(
        await db.begin((tx) => tx.query("SELECT 1", []), { deadlineAt: performance.now() + 60_000 }),
      ).toHaveLength(1);
    });
  });
}

test("values of every type round-trip identically with both drivers", async () => {
  const drivers = [bunDriver, pgDriver].map((driver) => driver({ url, size: 1, settings: {} }));
  for (const [type, value] of VALUES) {
    const text = `SELECT $1::${type} AS value, ($1::${type})::text AS text`;
    const [bun, other] = await Promise.all(
      drivers.map(async (driver) => {
        const [row] = (await driver.query(text, [value])) as [{ value: unknown; text: string }];
        return { type, text: row.text, value: row.value instanceof Int32Array ? [...row.value] : row.value };
      }),
    );
    expect(other).toEqual(bun as NonNullable<typeof bun>);
  }
  await Promise.all(drivers.map((driver) => driver.close(1)));
});
