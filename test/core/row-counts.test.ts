import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import fc from "fast-check";
import * as rowCounts from "#sql/row-counts";
import { createOrganization } from "../support/organizations.ts";
import { FEWER_ROUNDS, ROUNDS } from "../support/race.ts";
import { INSERT_SQL, insertion, WRONG_COUNTS } from "../support/row-counts.ts";
import { expectStatus, startService } from "../support/service.ts";
import { TEST_TIMEOUT_MS } from "../support/slow-tests.ts";

/*
 * Totals are maintained by triggers when rows change. Every snapshot must have totals that match its own rows, during
 * concurrent writes, rollbacks and merges of deltas.
 */

const t = await startService();
const connection = () => new SQL({ url: t.databaseUrl, max: 1 });
const writers = [connection(), connection(), connection()];
const mergers = [connection(), connection()];
afterAll(() => Promise.all([...writers, ...mergers].map((each) => each.close())));

let organizations: string[];
let people: string[];
beforeAll(async () => {
  const made = async (table: "organizations" | "users") =>
    (await t.sql<{ id: string }>(`${INSERT_SQL[table]} RETURNING id`, [2])).map(({ id }) => id);
  [organizations, people] = [await made("organizations"), await made("users")];
});

type Table = keyof typeof INSERT_SQL;
const TABLES = Object.keys(INSERT_SQL) as Table[];
/** Audit events are never updated or deleted. */
const CHANGED = TABLES.filter((table) => table !== "audit_events");
/** Users and organizations are not deleted, because rows that reference them would have to be deleted first. */
const DELETED = ["todos", "tickets", "notifications", "memberships"];

const many = fc.integer({ min: 1, max: 5 });
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant("insert"), fc.constantFrom<string[]>(...TABLES), many) },
    {
      weight: 6,
      arbitrary: fc.tuple(
        fc.constantFrom("end", "restore", "touch"),
        fc.constantFrom<string[]>(...CHANGED),
        many,
      ),
    },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom("read", "unread"), fc.constant("notifications"), many) },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom("delete", "move"), fc.constantFrom(...DELETED), many) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom("begin", "commit", "rollback"), fc.constant(""), many) },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom("merge", "merge and roll back"), fc.constant(""), many),
    },
  ),
  { maxLength: 30 },
);

/**
 * SQL that changes some rows which no other transaction has locked. Otherwise two open transactions could wait for
 * each other forever.
 */
const changes: Record<string, (table: string) => string> = {
  end: (table) => `UPDATE ${table} SET is_deleted = true WHERE ${some(table)}`,
  restore: (table) => `UPDATE ${table} SET is_deleted = false WHERE ${some(table)}`,
  touch: (table) => `UPDATE ${table} SET is_deleted = is_deleted WHERE ${some(table)}`,
  read: (table) => `UPDATE ${table} SET read_at = now() WHERE ${some(table)}`,
  unread: (table) => `UPDATE ${table} SET read_at = NULL WHERE ${some(table)}`,
  delete: (table) => `DELETE FROM ${table} WHERE ${some(table)}`,
  move: (table) => `UPDATE ${table} SET ${OWNERS[table]} WHERE ${some(table)}`,
};
const some = (table: string) =>
  `id IN (SELECT id FROM ${table} ORDER BY random() LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)`;
const OTHER = {
  organization: "(SELECT id FROM organizations LIMIT 1)",
  user: "(SELECT id FROM users LIMIT 1)",
};
const OWNERS: Record<string, string> = {
  memberships: `organization_id = ${OTHER.organization}`,
  todos: `organization_id = ${OTHER.organization}, user_id = ${OTHER.user}`,
  tickets: `organization_id = ${OTHER.organization}, reporter_id = ${OTHER.user}`,
  notifications: `user_id = ${OTHER.user}`,
};

const wrongCounts = async (seenBy: SQL) => [...(await seenBy.unsafe(WRONG_COUNTS))];

test("stored totals match the rows after every write, rollback and merge, also within open transactions", () =>
  fc.assert(
    fc.asyncProperty(steps, fc.infiniteStream(fc.nat({ max: 5 })), async (taken, choices) => {
      const open = new Set<SQL>();
      const oneOf = <T>(all: T[]) => all[Number(choices.next().value) % all.length] as T;
      const check = async () => {
        for (const each of writers) expect(await wrongCounts(each)).toEqual([]);
      };
      try {
        for (const [does, table, many] of taken) {
          const writer = oneOf(writers);
          if (does === "insert") {
            const [text, values] = insertion(table as Table, many, oneOf(organizations), oneOf(people));
            await writer.unsafe(text, values);
          } else if (does === "begin") {
            if (!open.has(writer)) await writer.unsafe("BEGIN");
            open.add(writer);
          } else if (does === "commit" || does === "rollback") {
            if (open.delete(writer)) await writer.unsafe(does);
          } else if (does === "merge" || does === "merge and roll back") {
            const [merger] = mergers as [SQL];
            await merger.unsafe("BEGIN");
            await merger.unsafe(rowCounts.mergeDeltas.text, [many]);
            expect(await wrongCounts(merger)).toEqual([]);
            await check();
            await merger.unsafe(does === "merge" ? "COMMIT" : "ROLLBACK");
          } else {
            await writer.unsafe(changes[does]?.(table) ?? "", [many]);
          }
          await check();
        }
      } finally {
        for (const each of [...open, ...mergers]) await each.unsafe("ROLLBACK");
      }
      await check();
    }),
    { numRuns: 8 * FEWER_ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));

test("concurrent writes and merges of deltas lose no count, and every snapshot has correct totals", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    let isWriting = true;
    const [organization = "", person = ""] = [organizations[0], people[0]];
    const work = writers.map(async (writer, index) => {
      for (let count = 0; count < 20; count += 1) {
        const isKept = count % 3 > 0;
        await writer.unsafe("BEGIN");
        for (const table of ["todos", "notifications", "audit_events"] as const) {
          const [text, values] = insertion(table, 1 + index, organization, person);
          await writer.unsafe(text, values);
        }
        await writer.unsafe(changes.end?.("todos") ?? "", [2]);
        await writer.unsafe(isKept ? "COMMIT" : "ROLLBACK");
      }
    });
    const merging = mergers.map(async (merger) => {
      let merged = 0;
      while (isWriting) merged += (await merger.unsafe(rowCounts.mergeDeltas.text, [7]))[0]["merged!"];
      return merged;
    });
    const watching = (async () => {
      while (isWriting) expect(await t.sql(WRONG_COUNTS)).toEqual([]);
    })();
    await Promise.all(work).finally(() => {
      isWriting = false;
    });
    await watching;
    const merged = await Promise.all(merging);
    expect(merged.reduce((one, other) => one + other)).toBeGreaterThan(0);
    expect(await t.sql(WRONG_COUNTS)).toEqual([]);
  }
});

test("a write to a counted table does not wait for uncommitted writes of others", async () => {
  const [first, second] = writers as [SQL, SQL];
  const [organization = "", person = ""] = [organizations[0], people[0]];
  await first.unsafe("BEGIN");
  await second.unsafe("SET lock_timeout = '2s'");
  try {
    for (const table of TABLES) {
      const [text, values] = insertion(table, 3, organization, person);
      await first.unsafe(text, values);
      await second.unsafe(text, values);
    }
    await t.sql(rowCounts.mergeDeltas.text, [1000]);
  } finally {
    await first.unsafe("ROLLBACK");
    await second.unsafe("RESET lock_timeout");
  }
  expect(await t.sql(WRONG_COUNTS)).toEqual([]);
});

test("the script that repairs stored totals counts the rows again", async () => {
  const script = await readFile(join(import.meta.dir, "../../docs/deploy/backup/recount.sql"), "utf8");
  await t.sql("UPDATE row_counts SET rows = rows + 1");
  await t.sql("INSERT INTO row_count_deltas (list, rows) VALUES ('pending_deliveries', 1)");
  expect(await t.sql(WRONG_COUNTS)).not.toEqual([]);
  const [owner] = writers as [SQL];
  await owner.unsafe(script);
  expect(await t.sql(WRONG_COUNTS)).toEqual([]);
});

test("todos of a deleted organization are not in any total", async () => {
  const org = await createOrganization(t);
  const member = await org.member();
  expectStatus(await member.post("/api/todos", { title: "Gone" }), 201);
  const totals = () =>
    Promise.all(
      [member, org.admin].flatMap((caller) =>
        ["/api/todos", "/api/todos/all"].map(async (path) => (await caller.get(path)).body.total),
      ),
    );
  expect(await totals()).toEqual([1, undefined, 0, 1]);
  expectStatus(await (await t.platformAdmin()).delete(`/api/organizations/${org.id}`), 204);
  expect(await totals()).toEqual([0, undefined, 0, 0]);
});
