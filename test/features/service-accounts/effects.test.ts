import { expect, test } from "bun:test";
import { jobKinds } from "../../../src/app/jobs.ts";
import { allEvents } from "../../support/audit.ts";
import type { Caller } from "../../support/caller.ts";
import { acceptNew, invited, listed } from "../../support/invitations.ts";
import {
  ACCOUNTS,
  createAccount,
  createKey,
  createMachine,
  keyPath,
  type Machine,
} from "../../support/machines.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

const t = await startService({ DEFAULT_LANGUAGE: "el" });

/** Runs a scheduled job now. */
async function runJob(queue: string) {
  const kind = jobKinds.find((one) => one.queue === queue);
  await kind?.run(t.running, { id: crypto.randomUUID(), data: null, requestId: null } as never);
  await t.drain();
}

const unitOf = (machine: Caller, name: string = crypto.randomUUID()) =>
  machine.post("/api/units", { name, parentId: null });

test("an audit event of a service account names it and its key, also after its deletion, and is found by its id and name", async () => {
  const org = await createOrganization(t);
  const { id, keyId, caller } = await createMachine(org, { role: "ORG_ADMIN" });
  const unit = expectStatus(await unitOf(caller), 201).body.id;
  const { name } = (await org.admin.get(`${ACCOUNTS}/${id}`)).body;
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${id}`), 204);
  const [event] = await allEvents(org.admin, `targetId=${unit}`);
  expect(event).toMatchObject({
    action: "UNIT_CREATED",
    actor: null,
    actorId: id,
    actorType: "service_account",
    serviceAccount: { id, name, keyId },
  });
  expect(await allEvents(org.admin, `actorId=${id}`)).toEqual([event as never]);
  expect(await allEvents(org.admin, `search=${encodeURIComponent(name)}`)).toContainEqual(event as never);
  const csv = (await org.admin.get(`/api/organization/audit-events/export?format=csv&actorId=${id}`)).body;
  expect(csv.trim().split("\r\n")[1]).toEndWith(`"service_account","${keyId}","false","",""`);
});

test("no `member` filter finds a service account, in lists, totals, exports and the histogram", async () => {
  const org = await createOrganization(t);
  const { id, caller } = await createMachine(org, { role: "UNIT_ADMIN" });
  expectStatus(await unitOf(caller), 201);
  expectStatus(await unitOf(org.admin), 201);
  const events = "/api/organization/audit-events";
  const platform = await t.platformAdmin();
  const total = async (who: Caller, path: string) => expectStatus(await who.get(path), 200).body.total;
  for (const [who, path] of [
    [org.admin, events],
    [platform, "/api/audit-events"],
    [org.admin, "/api/members"],
    [platform, "/api/users"],
  ] as const) {
    expect([path, await total(who, `${path}?member=${id}`)]).toEqual([path, 0]);
    const both = await total(who, `${path}?member=${id}&member=${idOf(org.admin)}`);
    expect(both).toBe(await total(who, `${path}?member=${idOf(org.admin)}`));
    expect(both).toBeGreaterThan(0);
  }
  expect(await total(org.admin, `${events}?actorId=${id}`)).toBe(1);
  const csv = expectStatus(await org.admin.get(`${events}/export?format=csv&member=${id}`), 200).body;
  expect(csv.trim().split("\r\n")).toHaveLength(1);
  const { body } = expectStatus(await org.admin.get(`${events}/histogram?member=${id}`), 200);
  expect(body.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(0);
});

test("sealed events of users have no fields about service accounts, so digests from before those fields stay valid", async () => {
  const org = await createOrganization(t);
  const { caller, keyId } = await createMachine(org, { role: "ORG_ADMIN" });
  await unitOf(org.admin, "By a person");
  await unitOf(caller, "By a machine");
  await runJob("audit.seal");
  const proofOf = async (search: string) => {
    const events = await allEvents(org.admin, "action=UNIT_CREATED");
    const event = events.find(({ metadata }) => metadata.name === search);
    const path = `/api/organization/audit-events/proof?eventId=${event?.id}`;
    return expectStatus(await org.admin.get(path), 200).body.event;
  };
  const [person, machine] = [await proofOf("By a person"), await proofOf("By a machine")];
  expect(Object.keys(person.record)).not.toContain("actorType");
  expect(machine.record).toMatchObject({ actorType: "service_account", apiKeyId: keyId });
  for (const { id, digest, batch } of [person, machine])
    expect(batch.events).toContainEqual(expect.objectContaining({ id, digest }));
});

test("unit auditors see events by a service account that was ever assigned in the unit, and events about it if all its assignments are inside", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  const other = await org.unit("Other");
  const boss = await org.member({ role: "UNIT_ADMIN", unit: sales });
  const inside = await createMachine(org, { role: "UNIT_ADMIN", unit: sales });
  const elsewhere = await createMachine(org, { role: "UNIT_ADMIN", unit: other });
  const seen = async (who: Caller = boss) => new Set((await allEvents(who)).map(({ id }) => id));
  const child = async (machine: Machine, parentId: string) => {
    expectStatus(await machine.caller.post("/api/units", { name: crypto.randomUUID(), parentId }), 201);
    const [newest] = await allEvents(org.admin, `actorId=${machine.id}`);
    return newest?.id ?? "";
  };
  const [mine, theirs] = [await child(inside, sales), await child(elsewhere, other)];
  expect([(await seen()).has(mine), (await seen()).has(theirs)]).toEqual([true, false]);
  // The earlier event stays visible after the service account's role moved to another unit.
  const roles = assignments({ role: "UNIT_ADMIN", unit: other });
  expectStatus(await org.admin.patch(`${ACCOUNTS}/${inside.id}/roles`, roles), 200);
  expect((await seen()).has(mine)).toBe(true);
  // The unit administrator sees events about service accounts inside the unit.
  const made = expectStatus(
    await boss.post(ACCOUNTS, { name: "Mine", ...assignments({ role: "MEMBER", unit: sales }) }),
    201,
  ).body;
  const [created] = await allEvents(boss, `targetId=${made.id}`);
  expect(created).toMatchObject({ action: "SERVICE_ACCOUNT_CREATED", targetType: "service_account" });
  // An API key with `Audit.Read` in the unit reads the same events.
  const reader = await createMachine(org, { role: "UNIT_ADMIN", unit: sales });
  expect((await seen(reader.caller)).has(mine)).toBe(true);
});

const invite = (machine: Machine) =>
  machine.caller.post("/api/members/invitations", {
    email: uniqueEmail(),
    ...assignments({ role: "MEMBER" }),
  });

test("an invitation by a service account names it and is in the default language; its acceptance notifies nobody", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const { body } = expectStatus(await invite(machine), 201);
  const { name } = (await org.admin.get(`${ACCOUNTS}/${machine.id}`)).body;
  expect(body).toMatchObject({
    language: "el",
    invitedBy: null,
    invitedByServiceAccount: { id: machine.id, name },
    expired: false,
  });
  expect((await listed(org.admin)).data).toEqual([body]);
  const { token } = await t.linkTo(body.email, "/accept-invitation");
  expectStatus(await acceptNew(t, token), 204);
  const told = expectStatus(await org.admin.get("/api/notifications?search=INVITATION"), 200).body;
  expect(told.total).toBe(0);
});

test("invitations by a service account are valid only while it is enabled and not deleted", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const { email } = expectStatus(await invite(machine), 201).body;
  const { token } = await t.linkTo(email, "/accept-invitation");
  const previewInvitation = async () =>
    outcome(await t.anonymous().get(`/api/auth/invitation?token=${token}`));
  const path = `${ACCOUNTS}/${machine.id}`;
  const enable = async (enabled: boolean) => expectStatus(await org.admin.patch(path, { enabled }), 200);
  const before = await previewInvitation();
  await enable(false);
  expect(await previewInvitation()).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  // The invitation stays in the list: it can be accepted again as soon as the service account is enabled.
  expect((await listed(org.admin)).data).toMatchObject([{ email, expired: true }]);
  await enable(true);
  expect(await previewInvitation()).toBe(before);
  expectStatus(await org.admin.delete(path), 204);
  expect(await previewInvitation()).not.toBe(before);
  expect((await listed(org.admin)).data).toMatchObject([
    { email, expired: true, invitedBy: null, invitedByServiceAccount: null },
  ]);
});

test("users and service accounts can resend each other's invitations; the one who resends becomes the inviter", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const resend = async (who: Caller, id: string) => {
    await t.age("user_invitations", { id }, { minutes: 2 });
    expectStatus(await who.post(`/api/members/invitations/${id}/resend`), 204);
    const { data } = await listed(org.admin);
    return data.find((row) => row.id === id);
  };
  const { id } = expectStatus(await invite(machine), 201).body;
  expect(await resend(org.admin, id)).toMatchObject({
    invitedBy: { email: org.admin.email },
    invitedByServiceAccount: null,
  });
  const own = await invited(t, org.admin);
  expect(await resend(machine.caller, own.id)).toMatchObject({
    invitedBy: null,
    invitedByServiceAccount: { id: machine.id },
  });
});

/** Returns the mails to a user whose subject matches. */
const mails = async (who: Caller, subject: RegExp) =>
  (await t.mailTo(who.email)).filter((mail) => subject.test(mail.subject));

test("a week before an API key expires, members with organization-wide `ApiKeys.Create` are notified and mailed once", async () => {
  const org = await createOrganization(t);
  const [keeper, plain] = [await org.member({ role: "ORG_ADMIN" }), await org.member()];
  const unitKeeper = await org.member({ role: "UNIT_ADMIN", unit: await org.unit("Sales") });
  const id = await createAccount(org, { role: "MEMBER" });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const soon = await createKey(org, id, { expiresAt: inDays(6.9) });
  const late = await createKey(org, id, { expiresAt: inDays(8) });
  const rotated = await createKey(org, id, { expiresAt: inDays(3) });
  expectStatus(await org.admin.post(`${keyPath(rotated)}/rotate`, { expiresAt: inDays(30) }), 201);
  for (const _ of [1, 2]) await runJob("service-accounts.expiring-keys");
  const told = async (who: Caller) =>
    expectStatus(await who.get("/api/notifications?search=API_KEY_EXPIRING"), 200).body.data.map(
      ({ data }: { data: { keyId: string } }) => data.keyId,
    );
  for (const who of [org.admin, keeper]) expect(await told(who)).toEqual([soon.keyId]);
  for (const who of [plain, unitKeeper]) expect(await told(who)).toEqual([]);
  expect((await mails(keeper, /expires soon|λήγει σύντομα/)).length).toBe(1);
  expect((await mails(plain, /expires soon|λήγει σύντομα/)).length).toBe(0);
  await t.sql("UPDATE api_keys SET expires_at = now() + interval '6 days' WHERE id = $1", [late.keyId]);
  await runJob("service-accounts.expiring-keys");
  expect(await told(keeper)).toContain(late.keyId);
});

test("API keys that ended ninety days ago are deleted; other keys of the service account stay", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "MEMBER" });
  const kept = await createKey(org, machine.id);
  expectStatus(await org.admin.delete(keyPath(machine)), 204);
  const left = async () => (await org.admin.get(`${ACCOUNTS}/${machine.id}/keys`)).body.total;
  await t.age("api_keys", { id: machine.keyId }, { days: 89 });
  await runJob("sessions.clean-up");
  expect(await left()).toBe(2);
  await t.age("api_keys", { id: machine.keyId }, { days: 2 });
  await runJob("sessions.clean-up");
  expect(await left()).toBe(1);
  expectStatus(await kept.caller.get(`${ACCOUNTS}/self`), 200);
});

test("refused requests of an API key write one audit event per hour", async () => {
  const org: Organization = await createOrganization(t);
  const machine = await createMachine(org, { role: "MEMBER" });
  expectStatus(await org.admin.delete(keyPath(machine)), 204);
  for (let count = 0; count < 3; count += 1) await machine.caller.get("/api/units");
  expect(await allEvents(org.admin, "action=API_KEY_REFUSED")).toMatchObject([
    {
      actorId: null,
      actorType: null,
      serviceAccount: null,
      targetId: machine.keyId,
      metadata: { reason: "revoked" },
    },
  ]);
});
