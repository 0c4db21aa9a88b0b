import { expect, test } from "bun:test";
import { type Instance, until } from "../../support/cluster.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startProduct } from "../../support/product.ts";
import { type Entry, entriesAfter, follow, latest } from "../../support/product-feed.ts";
import { ROUNDS, race } from "../../support/race.ts";

const { t, product } = await startProduct();
const ENVIRONMENT = { PRODUCT_FILE: process.env.PRODUCT_FILE };
const WRITERS = 4;
const CHANGES = 12;
const KILLS = Math.min(Math.ceil(ROUNDS / 3), 3);

test("if instances are killed while four writers work, a product that follows sees each change once, in order", async () => {
  const organizations = await race(2, () => createOrganization(t));
  const start = await latest(product);
  const instances: Instance[] = await t.cluster(2, ENVIRONMENT);
  const confirmed: string[] = [];
  const seen: Entry[] = [];
  let isOver = false;
  /** Follows the feed as a product does, until nothing more can come. */
  const following = (async () => {
    for (let after = start; ; ) {
      const { status, body } = await follow(product, { after, wait: 1, pageSize: 7 });
      if (status !== 200) throw new Error(JSON.stringify(body));
      seen.push(...body.data);
      after = body.cursor;
      if (isOver && body.data.length === 0) return;
    }
  })();
  const write = () =>
    race(WRITERS, async (writer) => {
      const { admin } = organizations[writer % organizations.length] as (typeof organizations)[number];
      for (let at = 0; at < CHANGES; at += 1) {
        const url = instances[(writer + at) % instances.length]?.url ?? "";
        const response = await admin
          .at(url)
          .post("/api/units", { name: crypto.randomUUID(), parentId: null })
          .catch(() => null);
        if (response?.status === 201) confirmed.push(response.body.id);
      }
    });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writing = write();
    await Bun.sleep(Math.random() * 400);
    const [killed] = instances.splice(kill % instances.length, 1);
    await killed?.kill();
    await writing;
    instances.push(...(await t.cluster(1, ENVIRONMENT)));
  }
  await until(async () => ((await t.sql("SELECT FROM event_outbox")).length === 0 ? true : null));
  isOver = true;
  await following;

  const units = await t.sql<{ id: string }>("SELECT id FROM units");
  const created = seen.filter(({ type }) => type === "unit.created").map(({ object }) => String(object.id));
  expect(created.toSorted()).toEqual(units.map(({ id }) => id).sort());
  const stored = new Set(created);
  expect(confirmed.filter((id) => !stored.has(id))).toEqual([]);
  expect(confirmed.length).toBeGreaterThan(0);
  // The same entries again, for a product that has lost its cursor, and each organization's in the order of its events.
  expect((await entriesAfter(product, start)).entries).toEqual(seen);
  for (const { id } of organizations) {
    const events = await t.sql<{ id: string }>(
      "SELECT id FROM events WHERE organization_id = $1 AND type = 'unit.created' ORDER BY sequence",
      [id],
    );
    const own = seen.filter(({ organizationId, type }) => organizationId === id && type === "unit.created");
    expect(own.map((entry) => entry.id)).toEqual(events.map((event) => event.id));
  }
  await Promise.all(instances.map((instance) => instance.stop()));
});
