import { expect, test } from "bun:test";
import { createProduct, type FeedOptions } from "../../../src/client/server.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { PRODUCT_KEY, startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";

/* `feed` of the client's subpath `/server` against the service. */

const { t } = await startProduct();
const product = createProduct({ baseUrl: t.url, key: PRODUCT_KEY });
const org = await createOrganization(t);
await relay(t);

async function unit(name: string): Promise<void> {
  expectStatus(await org.admin.post("/api/units", { name, parentId: null }), 201);
  await relay(t);
}

/** Follows the feed until a unit has this name; returns what happened in order. */
async function followTo(name: string, options: Partial<FeedOptions>) {
  const log: string[] = [];
  let cursor: string | null = null;
  const save = (next: string) => {
    cursor = next;
  };
  for await (const { type, object } of product.feed({ after: null, save, ...options })) {
    log.push(`${type} ${object.name ?? object.id}`);
    if (object.name === name) break;
  }
  return { log, cursor: cursor as string | null };
}

test("a new product reads the lists, then follows: a change in between arrives, and so does one that it waits for", async () => {
  const begun = Promise.withResolvers<void>();
  const following = followTo("Second", {
    async onExpired() {
      const names = [];
      for await (const { name } of product.rows("GET /api/organizations")) names.push(name);
      expect(names).toContain("Acme");
      await unit("First");
      begun.resolve();
    },
  });
  await begun.promise;
  await relay(t);
  await unit("Second");
  const { log, cursor } = await following;
  expect(log).toEqual(["unit.created First", "unit.created Second"]);
  expect(cursor).toBeString();
});

test("the stored cursor continues where the product was; of a deleted account only the id arrives", async () => {
  const person = await org.member();
  const id = await userIdOf(t, person);
  const { cursor } = await followTo("Marker", { onExpired: () => unit("Marker") });
  const { password } = person.account;
  expectStatus(await person.post("/api/profile/delete", { password }), 204);
  await unit("Last");
  const { log } = await followTo("Last", { after: cursor });
  expect(log.filter((line) => line.startsWith("user.deleted"))).toEqual([`user.deleted ${id}`]);
  expect(log.at(-1)).toBe("unit.created Last");
});

test("after a restore the cursor is no longer good: the lists are read again", async () => {
  const { cursor } = await followTo("Before", { onExpired: () => unit("Before") });
  await t.sql("UPDATE feed_numbering SET epoch = epoch + 1");
  let read = 0;
  const { log } = await followTo("After", {
    after: cursor,
    async onExpired() {
      read += 1;
      await unit("After");
    },
  });
  expect([log, read]).toEqual([["unit.created After"], 1]);
});
