import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as audit from "#sql/audit";
import * as members from "#sql/members";
import * as accounts from "#sql/people/accounts";
import { ALL_EVENTS, eventPage, storeEvent } from "../support/audit.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const connection = new SQL({ url: t.databaseUrl, max: 1 });
afterAll(() => connection.close());

test("a search that contains a number matches its whole text, not only the number", async () => {
  const org = await createOrganization(t);
  const requestIds = ["alpha-1234567", "beta-1234567", "alpha-1234568", "x-99999-alpha-1234567-y"];
  const ids: string[] = [];
  for (const requestId of requestIds)
    ids.push(await storeEvent(t, { organizationId: org.id, actorId: null, requestId }));
  const found = async (search: string) => {
    const page = await eventPage(await t.platformAdmin(), `search=${encodeURIComponent(search)}`, {
      path: ALL_EVENTS,
    });
    expect(page.total).toBe(page.data.length);
    return requestIds.filter((_, index) => page.data.some(({ id }) => id === ids[index]));
  };
  expect(await found("alpha-1234567")).toEqual(["alpha-1234567", "x-99999-alpha-1234567-y"]);
  expect(await found("99999-ALPHA-12345")).toEqual(["x-99999-alpha-1234567-y"]);
  expect(await found("1234567-alpha-99999")).toEqual([]);
  expect(await found("alpha_1234567")).toEqual([]);
  expect(await found("%-1234567")).toEqual([]);
});

test("a search matches exactly the rows that contain its text literally", async () => {
  const parts = ["12345", "a1b2c", "00000", "9", "Ά", "ς", "%", "_", "\\", " ", "-", "x", "é", "ab"];
  const any = () =>
    Array.from(
      { length: 1 + Math.floor(Math.random() * 5) },
      () => parts[Math.floor(Math.random() * parts.length)],
    );
  const pairs = Array.from({ length: 4_000 }, () => {
    const search = any().join("");
    const isWithin = Math.random() < 0.5;
    return [isWithin ? [...any(), search, ...any()].join("") : any().join(""), search];
  });
  const [row] = await t.sql<{ differing: number; found: number; by_number: number }>(
    `SELECT count(*) FILTER (WHERE search_finds(search_fold(text), value) <> (search_fold(text) LIKE search_pattern(value)))::int AS differing,
       count(*) FILTER (WHERE search_finds(search_fold(text), value))::int AS found,
       count(search_numbers(value))::int AS by_number
     FROM unnest($1::text[], $2::text[]) AS pairs (text, value)`,
    [pairs.map(([text]) => text), pairs.map(([, value]) => value)],
  );
  expect(row?.differing).toBe(0);
  expect(row?.found).toBeGreaterThan(1_000);
  expect(row?.by_number).toBeGreaterThan(500);
});

test("a search queries the trigram index by its number if it has one, otherwise by its whole text", async () => {
  const { id: organizationId } = await createOrganization(t);
  await t.sql(
    `INSERT INTO audit_events (action, organization_id, request_id)
     SELECT 'LOGIN_SUCCEEDED', $1, 'request-' || to_char(n, 'FM0000000') FROM generate_series(1, 20000) n`,
    [organizationId],
  );
  await t.sql(
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language)
       SELECT 'person.' || to_char(n, 'FM0000000') || '@example.com', 'F', 'L', 'EN' FROM generate_series(1, 20000) n RETURNING id
     ) INSERT INTO memberships (organization_id, user_id) SELECT $1, id FROM people`,
    [organizationId],
  );
  await connection.unsafe("VACUUM ANALYZE");
  await connection.unsafe("SET plan_cache_mode = force_custom_plan");
  // With the other scans off, the plan shows whether an index can serve, even on a small table.
  for (const other of ["seqscan", "indexscan", "indexonlyscan"])
    await connection.unsafe(`SET enable_${other} = off`);
  const nothing = {
    organizations: null,
    units: null,
    member: null,
    visible: null,
    actors: null,
    actorUnits: null,
  };
  const noEventFilter = {
    viewerId: null,
    hiddenUntil: null,
    action: null,
    targetType: null,
    targetId: null,
    from: null,
    until: null,
    found: "{}",
    foundActions: "{}",
  };
  const queries = [audit.countEvents, members.countMembers, accounts.listUsersByEmail];
  for (const query of queries)
    for (const [search, asked] of [
      ["person.0000777@", "%0000777%"],
      ["no such words", "%no such words%"],
    ]) {
      const given: Record<string, unknown> = {
        ...nothing,
        ...noEventFilter,
        organizationId,
        search,
        withDeleted: true,
        max: 10,
      };
      const values = query.parameters.map((name) => given[name]);
      const literals = values.map((value) => (value == null ? "NULL" : `'${value}'`));
      await connection.unsafe(`PREPARE asked AS ${query.text}`);
      const rows = await connection.unsafe(`EXPLAIN (COSTS OFF) EXECUTE asked (${literals.join()})`);
      await connection.unsafe("DEALLOCATE asked");
      const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join(" ");
      expect(plan).toMatch(/Bitmap Index Scan on \w+search/);
      expect(plan).toMatch(new RegExp(`search[^>]* Index Cond: [^>]*~~ '${asked}'`));
    }
});
