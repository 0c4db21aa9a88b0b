import { expect, test } from "bun:test";
import { seal, verify } from "../../support/audit-chains.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { relay } from "../../support/outgoing-events.ts";
import { exportOf } from "../../support/personal-data.ts";
import { startProduct } from "../../support/product.ts";
import { entriesAfter, entriesOf } from "../../support/product-feed.ts";
import { expectStatus } from "../../support/service.ts";

const { t, product } = await startProduct({ RETENTION_DELETED_ACCOUNTS_DAYS: "2" });

const renamed = async (person: Caller) =>
  expectStatus(await person.patch("/api/profile", { firstName: "Philomena", lastName: "Quarterstaff" }), 200);

for (const [by, remove] of [
  [
    "its owner",
    async (person: Caller) => person.post("/api/profile/delete", { password: person.account.password }),
  ],
  [
    "a platform administrator",
    async (person: Caller) => (await t.platformAdmin()).delete(`/api/users/${idOf(person)}`),
  ],
] as const)
  test(`an account that ${by} deletes is last in the feed, by its id alone, and pseudonyms reach what was there before`, async () => {
    const org = await createOrganization(t);
    const person = await org.member({ role: "MEMBER" });
    await renamed(person);
    await relay(t);
    // What waits in the outbox when the account gets its pseudonym gets it, too.
    const deleted = await entriesOf(t, product, async () => expectStatus(await remove(person), 204));
    const id = idOf(person);
    expect(deleted).toMatchObject([
      { type: "member.deleted", organizationId: org.id, reason: "account_deleted" },
      { type: "user.deleted", organizationId: null },
    ]);
    expect(deleted[1]?.object).toEqual({ id });
    const textOf = async () => JSON.stringify((await entriesAfter(product, null)).entries);
    expect(await textOf()).toContain(person.email);
    await t.sql("UPDATE users SET deleted_at = deleted_at - interval '3 days' WHERE id = $1", [id]);
    await t.sql(
      `INSERT INTO event_outbox (type, object_id, data, reach_match, reach_paths, is_feed_only)
       SELECT type, object_id, data, 'none', '{}', true FROM feed WHERE type = 'user.updated' AND object_id = $1`,
      [id],
    );
    await t.sql("INSERT INTO pgboss.job (name) VALUES ('accounts.pseudonymise')");
    await t.drain();
    await relay(t);
    const text = await textOf();
    expect(text).not.toContain(person.email);
    expect(text).not.toContain("Quarterstaff");
    expect(text.split(`deleted-${id}@deleted.invalid`).length).toBeGreaterThan(3);
  });

test("what a product reported about a person in any form keeps no account from its pseudonym, nor breaks the seals", async () => {
  const org = await createOrganization(t);
  const person = await org.member({ role: "MEMBER" });
  const [id, { email }] = [idOf(person), person];
  const targetId = crypto.randomUUID();
  const objects = [
    { reporter: { id, email } },
    { reporter: { id }, subject: { email } },
    { reporter: email },
  ];
  const events = objects.map((object) => ({ type: "inspection.completed", objectId: targetId, object }));
  const audit = [{ action: "INSPECTION_DELETED", targetId, metadata: { title: email, by: email } }];
  const body = { organizationId: org.id, actor: { userId: id }, events, audit };
  expectStatus(await product.changes(body), 200);
  await relay(t);
  await seal(t);
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  await t.sql("UPDATE users SET deleted_at = deleted_at - interval '3 days' WHERE id = $1", [id]);
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('accounts.pseudonymise')");
  await t.drain();
  const read = expectStatus(await org.admin.get("/api/events?type=inspection.completed"), 200).body;
  expect(read.data).toHaveLength(3);
  expect(JSON.stringify(read)).not.toContain(email);
  expect((await verify(t, org)).code).toBe(0);
});

test("what a product reported of others about deleted people gets their pseudonyms, and the seals still verify", async () => {
  const org = await createOrganization(t);
  const people = [await org.member({ role: "MEMBER" }), await org.member({ role: "MEMBER" })] as const;
  const [title, by] = [people[0].email, people[1].email];
  const targetId = crypto.randomUUID();
  expectStatus(
    await product.changes({
      organizationId: org.id,
      actor: { userId: idOf(org.admin) },
      audit: [{ action: "INSPECTION_DELETED", targetId, metadata: { title, by } }],
      notifications: [
        { type: "INSPECTION_ASSIGNED", userIds: [idOf(org.admin)], data: { id: targetId, title } },
      ],
    }),
    200,
  );
  await seal(t);
  for (const person of people) {
    expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
    await t.sql("UPDATE users SET deleted_at = deleted_at - interval '3 days' WHERE id = $1", [idOf(person)]);
  }
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('accounts.pseudonymise')");
  await t.drain();
  const [first, second] = people.map((person) => `deleted-${idOf(person)}@deleted.invalid`);
  const { body } = await org.admin.get(`/api/organization/audit-events?targetId=${targetId}`);
  expect(body.data[0].metadata).toEqual({ title: first, by: second });
  const told = expectStatus(await org.admin.get("/api/notifications?search=INSPECTION_ASSIGNED"), 200).body;
  expect(told.data[0].data.title).toBe(first);
  expect((await verify(t, org)).code).toBe(0);
});

test("the export of a person's data names the product with its address, which exports its own", async () => {
  const { files } = await exportOf(await t.person());
  expect(files.product).toEqual({
    name: { en: "Inspections", el: "Επιθεωρήσεις" },
    url: "https://app.example.com/inspections",
  });
});
