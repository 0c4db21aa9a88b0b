import { expect, test } from "bun:test";
import { insertGrant } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { eventsAfter, relay } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService({ RETENTION_DELETED_ACCOUNTS_DAYS: "2", OAUTH: "on", OAUTH_APPS: "any" });
const NAME = { firstName: "Philomena", lastName: "Quarterstaff" };

async function erase(person: Caller): Promise<void> {
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  await t.sql("UPDATE users SET deleted_at = deleted_at - interval '3 days' WHERE id = $1", [idOf(person)]);
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('accounts.pseudonymise')");
  await t.drain();
}

test("events of a connected app do not name its person after the pseudonym", async () => {
  const org = await createOrganization(t);
  const person = await org.member({ role: "MEMBER" });
  expectStatus(await person.patch("/api/profile", NAME), 200);
  const place = { userId: idOf(person), organizationId: org.id };
  const { grantId } = await insertGrant(t, place);
  expectStatus(await org.admin.delete(`/api/organization/connected-apps/${grantId}`), 204);
  await relay(t);
  const read = () => eventsAfter(t, org.admin, null, "type=connected_app.ended");
  expect((await read()).events[0]?.data.object.member).toMatchObject({ email: person.email, ...NAME });
  await erase(person);
  expect((await read()).events[0]?.data.object.member).toEqual({
    userId: idOf(person),
    email: `deleted-${idOf(person)}@deleted.invalid`,
    firstName: "Deleted",
    lastName: "Account",
  });
});

test("notifications to others that name the email of an account get its pseudonym, whatever their type", async () => {
  const org = await createOrganization(t);
  const person = await org.member({ role: "MEMBER" });
  const data = { organizationId: org.id, userId: idOf(person), email: person.email };
  await t.sql("INSERT INTO notifications (user_id, type, data) VALUES ($1, 'BREAK_GLASS_USED', $2)", [
    idOf(org.admin),
    data,
  ]);
  await erase(person);
  const [told] = expectStatus(await org.admin.get("/api/notifications?search=BREAK_GLASS_USED"), 200).body
    .data;
  expect(told.data).toEqual({ ...data, email: `deleted-${idOf(person)}@deleted.invalid` });
});
