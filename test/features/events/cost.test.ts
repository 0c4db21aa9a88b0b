import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventPage } from "../../support/outgoing-events.ts";
import { type PoolStatement, statementsOf } from "../../support/pool-statements.ts";
import { rowsRead } from "../../support/query-plans.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { createEndpoint, LOCAL } from "../../support/webhooks.ts";

const t = await startService(LOCAL);
const connection = new SQL({ url: t.databaseUrl, max: 1 });
afterAll(() => connection.close());
await connection.unsafe("SET plan_cache_mode = force_custom_plan");

const FEW = 1_000;
const MANY = 100_000;
/** The rows that a page reads at most: a window of 5,000 twice, the page, and single rows. */
const MAX_ROWS = 11_000;

/** An organization with this number of events and deliveries, of which one in 20,000 concerns the same record. */
async function waiting(count: number) {
  const org = await createOrganization(t);
  const unit = await org.unit("Europe");
  const endpoint = await createEndpoint(org.admin, "https://receiver.example.com/");
  const objectId = crypto.randomUUID();
  const eventId = crypto.randomUUID();
  await t.sql(
    `INSERT INTO events (id, organization_id, sequence, type, object_id, data, occurred_at, recorded_at, reach_match, reach_paths)
     SELECT CASE WHEN n = 1 THEN $4::uuid ELSE uuidv7() END, $1, n, 'todo.created',
       CASE WHEN n % 20000 = 1 THEN $3::uuid ELSE uuidv7() END, '{"object":{}}', now(), now(), 'any', '{}'
     FROM generate_series(1, $2::int) n`,
    [org.id, count, objectId, eventId],
  );
  await t.sql(
    "INSERT INTO event_sequences (organization_id, last_sequence) VALUES ($1, $2) ON CONFLICT (organization_id) DO UPDATE SET last_sequence = $2",
    [org.id, count],
  );
  await t.sql(
    `INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state, next_attempt_at, created_at)
     SELECT $2, $1, id, recorded_at, type, sequence, CASE WHEN sequence = 1 THEN 'FAILED' ELSE 'PENDING' END,
       CASE WHEN sequence > 1 THEN now() + interval '1 day' END, now() + sequence * interval '1 millisecond'
     FROM events WHERE organization_id = $1`,
    [org.id, endpoint.id],
  );
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  return { org, unitAdmin, objectId, eventId, deliveries: `${endpoint.path}/deliveries` };
}
type World = Awaited<ReturnType<typeof waiting>>;

const worlds: [World, World] = [await waiting(FEW), await waiting(MANY)];

const pages: Record<string, (world: World) => [Caller, string]> = {
  events: ({ org }) => [org.admin, "/api/events"],
  "events of a type": ({ org }) => [org.admin, "/api/events?type=todo.created"],
  "events of a type without rows": ({ org }) => [org.admin, "/api/events?type=unit.created"],
  "events of a record": ({ org, objectId }) => [org.admin, `/api/events?objectId=${objectId}`],
  "events, by a unit's administrator who may read none": ({ unitAdmin }) => [unitAdmin, "/api/events"],
  deliveries: ({ org, deliveries }) => [org.admin, deliveries],
  "deliveries in a state": ({ org, deliveries }) => [org.admin, `${deliveries}?state=PENDING`],
  "deliveries in a rare state": ({ org, deliveries }) => [org.admin, `${deliveries}?state=FAILED`],
  "deliveries of a type without rows": ({ org, deliveries }) => [
    org.admin,
    `${deliveries}?type=unit.created`,
  ],
  "deliveries of an event": ({ org, deliveries, eventId }) => [org.admin, `${deliveries}?eventId=${eventId}`],
};

async function rowsOf(statements: PoolStatement[]): Promise<number> {
  let rows = 0;
  for (const statement of statements) rows += await rowsRead(connection, statement);
  return rows;
}

test.each(Object.entries(pages))(
  "a page of %s reads no more rows with 100,000 waiting than its window, with and without statistics",
  async (_name, page) => {
    for (const analyze of [false, true]) {
      if (analyze) await t.sql("ANALYZE events, webhook_deliveries");
      const read: number[] = [];
      for (const world of worlds) {
        const [caller, path] = page(world);
        const statements = await statementsOf(t, async () => expectStatus(await caller.get(path), 200));
        read.push(await rowsOf(statements));
      }
      expect(Math.max(...read)).toBeLessThan(MAX_ROWS);
    }
  },
);

test("whoever reads all pages finds every row, also if pages are short", async () => {
  const [, { org, objectId, unitAdmin, deliveries, eventId }] = worlds;
  const all = async (caller: Caller, path: string) => {
    const ids: string[] = [];
    let after = "";
    for (;;) {
      const { body } = expectStatus(await caller.get(`${path}&pageSize=100${after}`), 200);
      ids.push(...body.data.map((row: { eventId?: string; id: string }) => row.eventId ?? row.id));
      if (!body.hasMore) return ids;
      after = `&after=${encodeURIComponent(body.cursor)}`;
    }
  };
  expect(await all(org.admin, `/api/events?objectId=${objectId}`)).toHaveLength(MANY / 20_000);
  expect(await all(unitAdmin, "/api/events?")).toEqual([]);
  expect(await all(org.admin, `${deliveries}?state=FAILED`)).toEqual([eventId]);
  expect(await all(org.admin, `${deliveries}?eventId=${eventId}`)).toEqual([eventId]);
  expect((await eventPage(org.admin, "pageSize=2")).data.map(({ sequence }) => sequence)).toEqual([1, 2]);
});
