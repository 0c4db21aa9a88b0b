import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { Call, Tx } from "../../../src/core/context.ts";
import { systemCall } from "../../../src/core/context.ts";
import { connect } from "../../../src/platform/db/connection.ts";
import { bunDriver } from "../../../src/platform/db/drivers/bun.ts";
import { DatabaseUnavailable, violatedConstraint } from "../../../src/platform/db/failures.ts";
import type { Queryable } from "../../../src/platform/db/prepared-query.ts";
import { transaction } from "../../../src/platform/db/transaction.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { until } from "../../support/cluster.ts";
import { FEWER_ROUNDS, ROUNDS, race } from "../../support/race.ts";
import { startService } from "../../support/service.ts";

/** A deadline shorter than the default, for the test that waits until it. */
const WAIT_MS = 4_000;
const t = await startService({ DATABASE_POOL_SIZE: "5" }, { maxWaitMs: WAIT_MS });
const call: Call = systemCall(t.running);
await t.sql(
  "CREATE TABLE numbers (id int CONSTRAINT numbers_once PRIMARY KEY, value int NOT NULL DEFAULT 0)",
);

const insert = (tx: Tx, id: number) => tx.db.query("INSERT INTO numbers (id) VALUES ($1)", [id]);
const add = (tx: Tx, id: number) => tx.db.query("UPDATE numbers SET value = value + 1 WHERE id = $1", [id]);
const numbers = (min: number, max: number) =>
  t.sql<{ id: number; value: number }>(
    "SELECT id, value FROM numbers WHERE id BETWEEN $1 AND $2 ORDER BY id",
    [min, max],
  );
const failure = (work: Promise<unknown>) => work.then(() => null).catch((error) => error);

test("an error rolls back the transaction and is rethrown unchanged", async () => {
  const refused = new ApiError(409, "REFUSED", "Refused");
  const error = await failure(
    transaction(call, async (tx) => {
      await insert(tx, 1);
      throw refused;
    }),
  );
  expect(error).toBe(refused);
  expect(await numbers(1, 1)).toEqual([]);
});

test("deadlocked transactions are retried until all are done", async () => {
  await t.sql("INSERT INTO numbers (id) VALUES (10), (11)");
  let runs = 0;
  // Each transaction locks one row, then the other's. Without retries one of each pair would fail.
  const crossing = (first: number, second: number, met: () => Promise<void>) =>
    transaction(call, async (tx) => {
      runs += 1;
      await add(tx, first);
      await met();
      await add(tx, second);
    });
  const rounds = Math.min(3, ROUNDS);
  for (let round = 0; round < rounds; round += 1) {
    let arrived = 0;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const met = async () => {
      arrived += 1;
      if (arrived === 2) resolve();
      await both;
    };
    await Promise.all([crossing(10, 11, met), crossing(11, 10, met)]);
  }
  expect(runs).toBeGreaterThan(rounds * 2);
  expect((await numbers(10, 11)).map(({ value }) => value)).toEqual([rounds * 2, rounds * 2]);
});

for (const [sqlstate, what] of [
  ["40001", "failed serialization"],
  ["40P01", "deadlock"],
]) {
  test(`a ${what} is retried three times, then returns 503`, async () => {
    let runs = 0;
    const error = await failure(
      transaction(call, async (tx) => {
        runs += 1;
        await insert(tx, 20);
        await tx.db.query(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${sqlstate}'; END $$`, []);
      }),
    );
    expect(runs).toBe(4);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(await numbers(20, 20)).toEqual([]);
  });
}

// Without the pause, the retry could lock its first row again before the transaction that waits for it.
test("a deadlock is retried after a pause, a serialization failure at once", async () => {
  const shortest = { "40P01": Number.POSITIVE_INFINITY, "40001": Number.POSITIVE_INFINITY };
  /** The time that the three pauses of 20 ms take. */
  const paused = () => shortest["40P01"] - shortest["40001"];
  // A busy machine slows rounds down but never speeds them up, so more rounds converge.
  for (let round = 0; round < 5 || (round < 100 && !(paused() > 30)); round += 1)
    for (const sqlstate of ["40P01", "40001"] as const) {
      const since = performance.now();
      await failure(
        transaction(call, (tx) =>
          tx.db.query(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${sqlstate}'; END $$`, []),
        ),
      );
      shortest[sqlstate] = Math.min(shortest[sqlstate], performance.now() - since);
    }
  expect(paused()).toBeGreaterThan(30);
});

test("a serialization failure during COMMIT is retried", async () => {
  await t.sql("CREATE SEQUENCE commits");
  await t.sql(`CREATE FUNCTION conflict_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.id = 30 AND nextval('commits') = 1 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
      RETURN NULL;
    END $$`);
  await t.sql(`CREATE CONSTRAINT TRIGGER conflict_once AFTER INSERT ON numbers
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION conflict_once()`);
  let runs = 0;
  await transaction(call, async (tx) => {
    runs += 1;
    await insert(tx, 30);
  });
  expect(runs).toBe(2);
  expect(await numbers(30, 30)).toHaveLength(1);
});

test("a transaction whose connection is lost before COMMIT is retried", async () => {
  let runs = 0;
  await transaction(call, async (tx) => {
    runs += 1;
    await insert(tx, 40);
    if (runs === 1) await tx.db.query("SELECT pg_terminate_backend(pg_backend_pid())", []);
  });
  expect(runs).toBe(2);
  expect(await numbers(40, 40)).toHaveLength(1);
});

test("a statement after the end of its transaction throws", async () => {
  const kept: { handle?: Queryable } = {};
  await transaction(call, async (tx) => {
    kept.handle = tx.db;
    await insert(tx, 50);
  });
  await race(10, async () => {
    const error = await failure(
      Promise.resolve(kept.handle?.query("INSERT INTO numbers (id) VALUES (51)", [])),
    );
    expect(error).toBeInstanceOf(Error);
  });
  expect(await numbers(50, 51)).toHaveLength(1);
});

test("an `afterCommit` hook runs after the commit succeeded, and not after a rollback", async () => {
  const done: unknown[] = [];
  const follow = (tx: Tx, id: number) =>
    tx.afterCommit.push(async () => void done.push(await numbers(id, id)));
  let runs = 0;
  await transaction(call, async (tx) => {
    runs += 1;
    await insert(tx, 70);
    follow(tx, 70);
    if (runs === 1) await tx.db.query("SELECT pg_terminate_backend(pg_backend_pid())", []);
  });
  await failure(
    transaction(call, async (tx) => {
      await insert(tx, 71);
      follow(tx, 71);
      throw new Error("no");
    }),
  );
  expect(runs).toBe(2);
  expect(done).toMatchObject([[{ id: 70 }]]);
});

test("a nested transaction throws", async () => {
  const error = await failure(
    transaction(call, async (tx) => {
      await insert(tx, 60);
      // @ts-expect-error a transaction has no database with which to begin another one
      await transaction(tx, (inner) => insert(inner, 61));
    }),
  );
  expect(error).toBeInstanceOf(TypeError);
  expect(await numbers(60, 61)).toEqual([]);
});

test("a violated constraint is identified by its name", async () => {
  await t.sql("INSERT INTO numbers (id) VALUES (80)");
  expect(violatedConstraint(await failure(transaction(call, (tx) => insert(tx, 80))))).toBe("numbers_once");
  expect(
    violatedConstraint(await failure(transaction(call, (tx) => tx.db.query("SELECT 1/0", [])))),
  ).toBeNull();
});

test("the return value of a transaction is passed on unchanged: rows, an array or undefined", async () => {
  const rows = await transaction(call, (tx) => tx.db.query("SELECT 1 AS one_column", []));
  expect(rows).toEqual([{ oneColumn: 1 }]);
  expect(await transaction(call, async () => [1, 2])).toEqual([1, 2]);
  expect(await transaction(call, async () => undefined)).toBeUndefined();
});

test("a transaction that waits too long for a lock fails with 503, and leaves no lock and no open transaction", async () => {
  await t.sql("INSERT INTO numbers (id) VALUES (90), (91)");
  // The lock holder is another client, whose session the service does not end.
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const holding = await holder.reserve();
  await holding.unsafe("BEGIN");
  await holding.unsafe("SELECT FROM numbers WHERE id = 90 FOR UPDATE");
  // Five transactions hold a connection, the others wait for one; all must fail at the deadline.
  const responses = await race(12, (index) =>
    failure(
      transaction(call, async (tx) => {
        await insert(tx, 900 + index);
        await add(tx, 90);
      }),
    ),
  );
  for (const error of responses) expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(new Set(responses.map((error) => error?.cause?.message))).toEqual(new Set(["No response in time"]));
  await until(async () => {
    const left = await t.sql(
      `SELECT FROM pg_stat_activity WHERE application_name = 'api' AND datname = current_database()
       AND state <> 'idle'`,
    );
    return left.length === 0 ? true : null;
  });
  await holding.unsafe("COMMIT");
  holding.release();
  await holder.close();
  await race(10, () => transaction(call, (tx) => add(tx, 91)));
  expect(await numbers(90, 91)).toEqual([
    { id: 90, value: 0 },
    { id: 91, value: 10 },
  ]);
  expect(await numbers(900, 920)).toEqual([]);
});

test("PostgreSQL ends the transactions of a crashed instance, and lists get custom plans, both behind a pooler and directly", async () => {
  const pooled = connect({
    ...call.app.config.database,
    maxWaitMs: WAIT_MS,
    listenUrl: "postgres://elsewhere/x",
    applicationName: "pooled",
    driver: bunDriver,
  });
  const deadlineAt = performance.now() + 60_000;
  const read = "SELECT current_setting($1) AS value";
  const [timeout, plans] = [["transaction_timeout"], ["plan_cache_mode"]];
  for (const db of [call.db, pooled]) {
    expect(await db.begin(async (tx) => tx.query(read, timeout), { deadlineAt })).toEqual([{ value: "6s" }]);
    expect(await db.autocommit(async (one) => one.query(read, timeout), { deadlineAt })).toEqual([
      { value: "6s" },
    ]);
    expect(await db.writes.query(read, timeout)).toEqual([{ value: "6s" }]);
    expect(await db.lists.query(read, plans)).toEqual([{ value: "force_custom_plan" }]);
    expect(await db.lists.query(read, ["random_page_cost"])).toEqual([{ value: "1.1" }]);
    expect(await db.pages.query(read, plans)).toEqual([{ value: "auto" }]);
  }
  // A pooler gives its server connections to other clients, so no setting and no transaction may be left on them.
  const open = await t.sql(
    `SELECT query FROM pg_stat_activity WHERE application_name LIKE 'pooled%' AND datname = current_database()
       AND state LIKE 'idle in transaction%'`,
  );
  expect(open).toEqual([]);
  expect(await failure(pooled.lists.query("SELECT 1 / $1::int", [0]))).toMatchObject({ errno: "22012" });
  expect(
    await failure(pooled.autocommit(async (one) => one.query("SELECT 1 / $1::int", [0]), { deadlineAt })),
  ).toMatchObject({ errno: "22012" });
  const late = { deadlineAt: performance.now() + 300 };
  expect(
    await failure(pooled.autocommit(async (one) => one.query("SELECT pg_sleep($1)", [5]), late)),
  ).toBeInstanceOf(DatabaseUnavailable);
  expect(await failure(pooled.lists.query("SELECT pg_sleep($1)", [5], late.deadlineAt))).toBeInstanceOf(
    DatabaseUnavailable,
  );
  expect(await pooled.lists.query(read, plans)).toEqual([{ value: "force_custom_plan" }]);
  await pooled.close();
});

test("plans prefer indexes, and at sign-in no table is scanned if an index can serve", async () => {
  const read =
    "SELECT current_setting('random_page_cost') AS cost, current_setting('enable_seqscan') AS scans";
  const { lists, pages, writes, signIns } = call.db;
  for (const pool of [call.db, lists, pages, writes])
    expect(await pool.query(read, [])).toEqual([{ cost: "1.1", scans: "on" }]);
  expect(await signIns.writes.query(read, [])).toEqual([{ cost: "1.1", scans: "off" }]);
});

test("pipelined statements are committed in the order they were sent", async () => {
  await transaction(call, async (tx) => {
    await tx.effects.query("INSERT INTO numbers (id, value) VALUES ($1, 1)", [7000]);
    await tx.effects.query("UPDATE numbers SET value = value * 10 WHERE id = $1", [7000]);
    await tx.effects.query("UPDATE numbers SET value = value + 2 WHERE id = $1", [7000]);
  });
  expect(await numbers(7000, 7000)).toMatchObject([{ value: 12 }]);
});

test("a failed pipelined statement fails its transaction with the statement's own error", async () => {
  await t.sql("INSERT INTO numbers (id) VALUES (8000)");
  const last = await failure(
    transaction(call, async (tx) => {
      await insert(tx, 8100);
      await tx.effects.query("INSERT INTO numbers (id) VALUES ($1)", [8000]);
    }),
  );
  expect(violatedConstraint(last)).toBe("numbers_once");
  const before = await failure(
    transaction(call, async (tx) => {
      await tx.effects.query("INSERT INTO numbers (id) VALUES ($1)", [8000]);
      await insert(tx, 8200);
    }),
  );
  expect(violatedConstraint(before)).toBe("numbers_once");
  expect(await numbers(8100, 8200)).toHaveLength(0);
});

test("a transaction is rolled back after a statement error even if the error is caught", async () => {
  const error = await failure(
    transaction(call, async (tx) => {
      await insert(tx, 8500);
      await insert(tx, 8500).catch(() => {});
    }),
  );
  expect(violatedConstraint(error)).toBe("numbers_once");
  expect(await numbers(8500, 8500)).toHaveLength(0);
});

// Each statement of a READ COMMITTED transaction has its own snapshot, taken when the statement begins, so after the
// lock.
test("a statement that is pipelined after a lock reads what was committed before the lock was granted", async () => {
  await t.sql("INSERT INTO numbers (id) VALUES (9000)");
  await race(8 * FEWER_ROUNDS, () =>
    transaction(call, async (tx) => {
      const [, rows] = await Promise.all([
        tx.db.query("SELECT pg_advisory_xact_lock(9000)", []),
        tx.db.query("SELECT value FROM numbers WHERE id = 9000", []),
      ]);
      const [{ value }] = rows as [{ value: number }];
      await tx.db.query("UPDATE numbers SET value = $1::int WHERE id = 9000", [value + 1]);
    }),
  );
  expect(await numbers(9000, 9000)).toMatchObject([{ value: 8 * FEWER_ROUNDS }]);
});

test("a single write statement is never retried after a lost connection; a read is", async () => {
  await t.sql("CREATE SEQUENCE attempts_made");
  // A sequence counts every attempt, because `nextval` is not rolled back.
  const statement = "SELECT nextval('attempts_made'), pg_terminate_backend(pg_backend_pid())";
  const made = async () => Number((await t.sql("SELECT last_value FROM attempts_made"))[0]?.last_value);
  expect(await failure(call.db.writes.query(statement, []))).toBeInstanceOf(DatabaseUnavailable);
  expect(await made()).toBe(1);
  expect(await failure(call.db.query(statement, []))).toBeInstanceOf(DatabaseUnavailable);
  expect(await made()).toBe(4);
});
