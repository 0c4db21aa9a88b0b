import { expect, test } from "bun:test";
import { join } from "node:path";
import { eventJobs } from "../../../src/features/events/jobs.ts";
import type { Job } from "../../../src/platform/jobs/queue.ts";
import { createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { eventPage, relay } from "../../support/outgoing-events.ts";
import { startProduct } from "../../support/product.ts";
import { entriesAfter, feedPage, follow, latest } from "../../support/product-feed.ts";
import { expectStatus } from "../../support/service.ts";

const { t, product } = await startProduct();
const org = await createOrganization(t);
await relay(t);
const change = async () => {
  expectStatus(await org.admin.post("/api/units", { name: crypto.randomUUID(), parentId: null }), 201);
  await relay(t);
};
const EXPIRED = "410 CURSOR_EXPIRED";

test("what is no cursor of the feed is 400 at after, also the cursor of another list", async () => {
  const cursor = await latest(product);
  const text = Buffer.from(cursor, "base64url").toString();
  const ofEvents = (await eventPage(org.admin, "after=latest")).cursor;
  const wrong = [
    ...["x", cursor.slice(1), `${cursor}A`, `${cursor}=`, cursor.toUpperCase(), "x".repeat(500)],
    ...[Buffer.from(text.replace(/ \d+ /, " 1 ")).toString("base64url"), ofEvents],
  ];
  for (const after of wrong) {
    const { errors } = expectStatus(await follow(product, { after, wait: 30 }), 400).body;
    expect(errors).toEqual([{ path: "after", message: "after must be a cursor of this list" }]);
  }
  expectStatus(await org.admin.get(`/api/events?after=${cursor}`), 400);
});

test("a day beyond the retention is dropped, cursors before its end are expired, and the feed begins after it", async () => {
  const before = await latest(product);
  await change();
  const after = await latest(product);
  // One old day has a partition, the others are in the default one.
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const name = `feed_${day(40).replaceAll("-", "_")}`;
  await t.sql(`CREATE TABLE ${name} PARTITION OF feed FOR VALUES FROM ('${day(40)}') TO ('${day(39)}')`);
  await t.sql("UPDATE feed SET recorded_at = recorded_at - interval '40 days'");
  expect(await t.sql(`SELECT FROM ${name}`)).not.toEqual([]);
  await change();
  const days = eventJobs.find(({ queue }) => queue === "events.days");
  await days?.run(t.running, {} as Job<never>);
  expect(outcome(await follow(product, { after: before }))).toBe(EXPIRED);
  const { data } = await feedPage(product, { after });
  expect(data).toHaveLength(1);
  expect((await entriesAfter(product, null)).entries).toEqual(data);
  // An entry that is missing for any other reason is not passed over.
  const lost = await latest(product);
  await change();
  await t.sql("DELETE FROM feed WHERE id <> $1", [data[0]?.id]);
  expect(outcome(await follow(product, { after: lost }))).toBe(EXPIRED);
});

test("after a restore every earlier cursor is expired, and the end is found anew", async () => {
  const before = await latest(product);
  const child = Bun.spawn(
    ["bun", join(import.meta.dir, "../../../src/restored.ts"), new Date().toISOString()],
    {
      env: { PATH: process.env.PATH, DATABASE_URL: t.databaseUrl },
      stdout: "ignore",
      stderr: "ignore",
    },
  );
  expect(await child.exited).toBe(0);
  expect(outcome(await follow(product, { after: before }))).toBe(EXPIRED);
  const after = await latest(product);
  expect(after).not.toBe(before);
  // The command ended all sessions.
  expectStatus(await org.admin.login(), 200);
  await change();
  expect((await feedPage(product, { after })).data).toMatchObject([{ type: "unit.created" }]);
});
