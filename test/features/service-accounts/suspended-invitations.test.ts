import { expect, test } from "bun:test";
import { jobKinds } from "../../../src/app/jobs.ts";
import {
  acceptNew,
  type Invited,
  invite,
  invited,
  previewInvitation,
  resend,
} from "../../support/invitations.ts";
import { ACCOUNTS, createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { freshOverview } from "../../support/overview.ts";
import { planFiles } from "../../support/plans.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

/* Invitations of a disabled service account are expired: they hold nothing, until it is enabled again (rules 28.19). */

const t = await startService({
  BILLING_PLANS_FILE: planFiles()({
    plans: [{ key: "three", limits: { members: 3 }, features: [], paid: false }],
    defaultPlan: "three",
    trial: null,
  }),
});

const INVALID = "400 INVALID_OR_EXPIRED_TOKEN";

/** An invitation by a service account into a unit, with a role of the organization. */
async function suspended() {
  const org = await createOrganization(t);
  const [unit, role] = [await org.unit("Unit"), await org.role("Role", "Units.Read")];
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const invitation = await invited(t, machine.caller, { roles: [{ role, unit }] });
  const enable = async (enabled: boolean) =>
    expectStatus(await org.admin.patch(`${ACCOUNTS}/${machine.id}`, { enabled }), 200);
  await enable(false);
  const overview = freshOverview(org.admin);
  return { org, unit, role, machine, invitation, enable, shown: () => shownBy(org, overview) };
}

const link = async ({ token }: Invited) => [
  outcome(await previewInvitation(t, token)),
  outcome(await acceptNew(t, token)),
];

/** What the organization shows of its invitations: whether they are expired, and the seats in use. */
async function shownBy({ admin }: Organization, readOverview: ReturnType<typeof freshOverview>) {
  const { data } = expectStatus(await admin.get("/api/members/invitations"), 200).body;
  const { limits } = expectStatus(await admin.get("/api/organization/billing"), 200).body;
  const { plan } = await readOverview();
  const [billed, [overview]] = [limits[0].used, plan.limits];
  expect([overview.used, overview.series.at(-1).count]).toEqual([billed, billed]);
  return { expired: data.map(({ expired }: { expired: boolean }) => expired), seats: billed };
}

test("it is expired and holds no seat, and it works until its own end when the service account is enabled again", async () => {
  const { org, unit, role, invitation, enable, shown } = await suspended();
  expect(await shown()).toEqual({ expired: [true], seats: 1 });
  expect(await link(invitation)).toEqual([INVALID, INVALID]);
  await enable(true);
  expect(await shown()).toEqual({ expired: [false], seats: 2 });
  expect(outcome(await org.admin.delete(`/api/units/${unit}`))).toBe("409 UNIT_NOT_EMPTY");
  expect(outcome(await org.admin.delete(`/api/roles/${role}`))).toBe("409 ROLE_IN_USE");
  expect(await link(invitation)).toEqual(["200", "204"]);
  const { data } = expectStatus(await org.admin.get(`/api/members?search=${invitation.email}`), 200).body;
  expect(data).toMatchObject([{ assignments: [{ role: { id: role }, unit: { id: unit } }] }]);
});

test("its own end is not postponed while the service account is disabled", async () => {
  const { invitation, enable, shown } = await suspended();
  await t.sql("UPDATE user_invitations SET expires_at = now() WHERE id = $1", [invitation.id]);
  await enable(true);
  expect(await shown()).toEqual({ expired: [true], seats: 1 });
  expect(await link(invitation)).toEqual([INVALID, INVALID]);
});

test("its role and unit can be deleted; enabled again it grants what is left, and without anything left it stays expired", async () => {
  const { org, unit, role, machine, invitation, enable, shown } = await suspended();
  await enable(true);
  const other = await invited(t, machine.caller, { roles: [{ role }, { role: "MEMBER" }] });
  await enable(false);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  expectStatus(await org.admin.delete(`/api/roles/${role}`), 204);
  await enable(true);
  expect(await shown()).toEqual({ expired: [false, true], seats: 2 });
  expect(await link(invitation)).toEqual([INVALID, INVALID]);
  expect(await link(other)).toEqual(["200", "204"]);
  const { data } = expectStatus(await org.admin.get(`/api/members?search=${other.email}`), 200).body;
  expect(data[0].assignments).toMatchObject([{ role: { name: "MEMBER" } }]);
});

test("its seat may be taken meanwhile; enabled again it works nevertheless, because accepting needs no seat", async () => {
  const { org, machine, invitation, enable, shown } = await suspended();
  for (let count = 0; count < 2; count += 1) expectStatus(await invite(org.admin), 201);
  expect(outcome(await invite(org.admin))).toBe("403 PLAN_LIMIT_REACHED");
  await enable(true);
  expect(await shown()).toEqual({ expired: [false, false, false], seats: 4 });
  expect(outcome(await invite(machine.caller))).toBe("403 PLAN_LIMIT_REACHED");
  expect(await link(invitation)).toEqual(["200", "204"]);
});

test("resending it needs a seat", async () => {
  const { org, invitation } = await suspended();
  for (let count = 0; count < 2; count += 1) expectStatus(await invite(org.admin), 201);
  await t.age("user_invitations", { id: invitation.id }, { minutes: 2 });
  expect(outcome(await resend(org.admin, invitation.id))).toBe("403 PLAN_LIMIT_REACHED");
});

test("inviting its address again supersedes it, also from a unit that does not reach it", async () => {
  const { org, machine, enable } = await suspended();
  await enable(true);
  const email = uniqueEmail();
  expectStatus(await invite(machine.caller, { email }), 201);
  const unit = await org.unit("Other");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const again = { email, roles: [{ role: "MEMBER", unit }] };
  expect(outcome(await invite(unitAdmin, again))).toBe("409 CONFLICT");
  await enable(false);
  expectStatus(await invite(unitAdmin, again), 201);
  await enable(true);
  const { data } = expectStatus(await org.admin.get(`/api/members/invitations?search=${email}`), 200).body;
  expect(data).toMatchObject([{ expired: false, assignments: [{ unit: { id: unit } }] }]);
});

test("a person who resends it becomes its inviter, and it works", async () => {
  const { org, invitation } = await suspended();
  await t.age("user_invitations", { id: invitation.id }, { minutes: 2 });
  expectStatus(await resend(org.admin, invitation.id), 204);
  const { token } = await t.linkTo(invitation.email, "/accept-invitation");
  expect(await link({ ...invitation, token })).toEqual(["200", "204"]);
});

test("an invitation by a service account of which nothing is left grants no default role", async () => {
  const { unit, invitation, enable } = await suspended();
  // As an earlier version allowed it: the unit was deleted while the invitation was suspended.
  await t.sql("UPDATE units SET is_deleted = true, deleted_at = now() WHERE id = $1", [unit]);
  await enable(true);
  expect(await link(invitation)).toEqual([INVALID, INVALID]);
});

test("its mail that waits for the daily limit is sent when the service account is enabled", async () => {
  const { org, invitation, enable } = await suspended();
  await t.sql(
    "UPDATE user_invitation_sends SET waits = true, mail_at = now() WHERE organization_id = $1 AND email = $2",
    [org.id, invitation.email],
  );
  const job = jobKinds.find(({ queue }) => queue === "invitations.mail");
  const mails = async () => {
    await job?.run(t.running, { id: crypto.randomUUID(), data: null, requestId: null } as never);
    await t.drain();
    return (await t.mailTo(invitation.email)).length;
  };
  const before = (await t.mailTo(invitation.email)).length;
  expect(await mails()).toBe(before);
  await enable(true);
  expect(await mails()).toBe(before + 1);
});
