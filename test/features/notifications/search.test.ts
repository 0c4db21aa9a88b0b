import { expect, test } from "bun:test";
import * as notifications from "#sql/notifications";
import type { PreparedQuery } from "../../../src/platform/db/prepared-query.ts";
import type { Caller } from "../../support/caller.ts";
import { makeUp } from "../../support/document.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();

/** Inserts `count` unread notifications of a type, each a second newer than the previous one. */
const notified = (person: Caller, type: string, count: number) =>
  makeUp(
    t.sql<{ id: string }>(
      `INSERT INTO notifications (user_id, type, created_at)
     SELECT $1, $2, now() + make_interval(secs => n) FROM generate_series(1, $3::int) n RETURNING id`,
      [idOf(person), type, count],
    ),
  );
async function found(person: Caller, query: string) {
  const { body } = expectStatus(await person.get(`/api/notifications?${query}`), 200);
  expect(body.data).toHaveLength(Math.min(body.total, body.pageSize));
  return body.data.map(({ type }: { type: string }) => type);
}

test("a search of notifications matches the type literally, ignoring case, only in the caller's own, newest first", async () => {
  const [person, other] = [await t.person(), await t.person()];
  await notified(person, "HELPDESK_STAFF_REPLIED", 1);
  await notified(person, "HELPDESK_STATUS_CHANGED", 2);
  await notified(person, "TEST", 3);
  await notified(other, "ROLES_CHANGED", 1);
  const helpdesk = ["HELPDESK_STATUS_CHANGED", "HELPDESK_STATUS_CHANGED", "HELPDESK_STAFF_REPLIED"];
  expect((await found(person, "search=helpdesk")).toSorted()).toEqual(helpdesk.toSorted());
  expect(await found(person, "search=stâtus")).toEqual(helpdesk.slice(0, 2));
  expect(await found(person, "search=HelpDesk&order=asc&pageSize=1&page=3")).toEqual(helpdesk.slice(0, 1));
  expect(await found(person, "search=_replied")).toEqual(["HELPDESK_STAFF_REPLIED"]);
  expect(await found(person, "search=%25")).toEqual([]);
  expect(await found(person, "search=roles")).toEqual([]);
  expect(await found(person, "search=")).toHaveLength(7);
  expect(await found(person, "search=%20Test%20")).toEqual(["TEST", "TEST", "TEST"]);
});

test("a search of notifications can be combined with `unread`, and does not return dismissed ones", async () => {
  const person = await t.person();
  await notified(person, "TEST", 2);
  const [first, second] = (await person.get("/api/notifications?search=test")).body.data;
  expectStatus(await person.post(`/api/notifications/${first.id}/read`), 204);
  const { data, total } = (await person.get("/api/notifications?search=test&unread=true")).body;
  expect([total, data.map(({ id }: { id: string }) => id)]).toEqual([1, [second.id]]);
  expectStatus(await person.delete(`/api/notifications/${second.id}`), 204);
  expect(await found(person, "search=test&unread=true")).toEqual([]);
  expect(await found(person, "search=test")).toEqual(["TEST"]);
});

type Plan = { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/** Returns the number of buffer blocks that PostgreSQL reads for a query. */
async function blocks(
  query: PreparedQuery<never, unknown>,
  values: Record<string, unknown>,
): Promise<number> {
  const text = query.text.replaceAll(/\$(\d+)/g, (_, number) =>
    literal(values[query.parameters[number - 1] ?? ""]),
  );
  const [row] = await t.sql<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
  );
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  return (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? Number.NaN);
}
const literal = (value: unknown) =>
  value === null ? "NULL" : Array.isArray(value) ? `'{${value.join()}}'` : `'${value}'`;

test("a search for rare or missing text in 20,000 notifications reads less than 100 blocks for a page", async () => {
  const person = await t.person();
  await notified(person, "TEST", 20_000);
  await notified(person, "ROLES_CHANGED", 5);
  await t.sql("VACUUM ANALYZE notifications");
  const given = { userId: idOf(person), onlyUnread: null, limit: 20, offset: "0", descending: true };
  const costs = async (search: string) => {
    const types = await blocks(notifications.listNotificationTypes, { ...given, search });
    const found = await notifications.listNotificationTypes.run(
      { userId: idOf(person), search },
      t.running.db.lists,
    );
    const filters = { ...given, types: found.map(({ type }) => type) };
    const rows = await blocks(notifications.listNotifications, filters);
    const total = await blocks(notifications.countNotifications, filters);
    return { types, rows, total };
  };
  const [{ everything } = { everything: 0 }] = await t.sql<{ everything: number }>(
    "SELECT (pg_relation_size('notifications') / current_setting('block_size')::int)::int AS everything",
  );
  expect(everything).toBeGreaterThan(180);
  // Enough blocks for a page of 20 rows, each looked up by its key.
  const page = 100;
  for (const search of ["roles", "nothing", "e"]) {
    const { types, rows, total } = await costs(search);
    expect([search, types < everything / 10, rows < page]).toEqual([search, true, true]);
    // Only matching rows are counted. The search "e" matches every row.
    if (search !== "e") expect([search, total < everything / 10]).toEqual([search, true]);
  }
});
