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
import { createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { planFiles } from "../../support/plans.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* A disabled service account suspends its invitations: their links do not work, but they stay pending (rules 28.19). */

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
  return { org, unit, role, machine, invitation, enable };
}

const link = async ({ token }: Invited) => [
  outcome(await previewInvitation(t, token)),
  outcome(await acceptNew(t, token)),
];

test("while it is suspended its link is invalid, its role and unit are in use, and it works as before when the service account is enabled", async () => {
  const { org, unit, role, invitation, enable } = await suspended();
  expect(await link(invitation)).toEqual([INVALID, INVALID]);
  expect(outcome(await org.admin.delete(`/api/units/${unit}`))).toBe("409 UNIT_NOT_EMPTY");
  expect(outcome(await org.admin.delete(`/api/roles/${role}`))).toBe("409 ROLE_IN_USE");
  await enable(true);
  expect(await link(invitation)).toEqual(["200", "204"]);
  const { data } = expectStatus(await org.admin.get(`/api/members?search=${invitation.email}`), 200).body;
  expect(data).toMatchObject([{ assignments: [{ role: { id: role }, unit: { id: unit } }] }]);
});

test("it occupies its seat, so that enabling the service account never exceeds the plan", async () => {
  const { org, machine, enable } = await suspended();
  // The founder, the suspended invitation, and one more.
  expectStatus(await invite(org.admin), 201);
  expect(outcome(await invite(org.admin))).toBe("403 PLAN_LIMIT_REACHED");
  await enable(true);
  expect(outcome(await invite(machine.caller))).toBe("403 PLAN_LIMIT_REACHED");
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
