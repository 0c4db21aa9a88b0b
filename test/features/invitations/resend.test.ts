import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  acceptNew,
  expire,
  type Invited,
  invited,
  listed,
  previewInvitation,
  resend,
  revoke,
  settle,
  tokenFor,
} from "../../support/invitations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const DAY_MS = 24 * 3600 * 1000;
const dead = "400 INVALID_OR_EXPIRED_TOKEN";
const missing = "404 NOT_FOUND";

test("an invitation is resent at most once in 60 seconds, and an early resend changes nothing", async () => {
  const org = await createOrganization(t);
  const invitation = await invited(t, org.admin);
  const row = async () => (await listed(org.admin)).data[0];
  const before = await row();
  const early = await resend(org.admin, invitation.id);
  expect(outcome(early)).toBe("400 RESENT_TOO_RECENTLY");
  expect(early.body.message).toBe("Resent too recently");
  // However long the test has taken until now does not count.
  const sentAgo =
    "UPDATE user_invitations SET last_sent_at = now() - make_interval(secs => $2::int) WHERE id = $1";
  await t.sql(sentAgo, [invitation.id, 50]);
  expect(outcome(await resend(org.admin, invitation.id))).toBe("400 RESENT_TOO_RECENTLY");
  expectStatus(await previewInvitation(t, invitation.token), 200);
  expect(await t.mailTo(invitation.email)).toHaveLength(1);
  expect(await eventsIn(t, org, "USER_INVITATION_")).toEqual([]);

  await t.sql(sentAgo, [invitation.id, 60]);
  expectStatus(await resend(org.admin, invitation.id), 204);
  expect(await t.mailTo(invitation.email)).toHaveLength(2);
  expect(outcome(await resend(org.admin, invitation.id))).toBe("400 RESENT_TOO_RECENTLY");
  const after = await row();
  expect(after?.id).toBe(before?.id as string);
  expect(await t.mailTo(invitation.email)).toHaveLength(2);
});

for (const kind of ["pending", "expired"] as const) {
  test(`resending an invitation that is ${kind} creates a new link that is valid for seven days, and invalidates the old one`, async () => {
    const org = await createOrganization(t);
    const invitation = await invited(t, org.admin, { language: "el" });
    await (kind === "pending" ? settle(t, invitation) : expire(t, invitation));
    expectStatus(await resend(org.admin, invitation.id), 204);
    const mails = await t.mailTo(invitation.email);
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill("Πρόσκληση στον οργανισμό Acme"));
    const token = await tokenFor(t, invitation.email);
    expect(token).not.toBe(invitation.token);

    const [row] = (await listed(org.admin)).data;
    expect(row).toMatchObject({ id: invitation.id, expired: false });
    expect(Date.parse(row?.expiresAt ?? "") - Date.parse(row?.lastSentAt ?? "")).toBe(7 * DAY_MS);
    expect(Math.abs(Date.parse(row?.lastSentAt ?? "") - Date.now())).toBeLessThan(60_000);
    expect((await previewInvitation(t, token)).body.expiresAt).toBe(row?.expiresAt);
    expect(outcome(await previewInvitation(t, invitation.token))).toBe(dead);
    expect(outcome(await acceptNew(t, invitation.token))).toBe(dead);
    expectStatus(await acceptNew(t, token), 204);
  });
}

test("the user who resends an invitation becomes its inviter and the actor of the audit event", async () => {
  const org = await createOrganization(t);
  const [first, platform] = [await org.member({ role: "ORG_ADMIN" }), await t.platformAdmin()];
  const invitation = await invited(t, first);
  expectStatus(await first.post("/api/organization/leave"), 204);
  expect(outcome(await previewInvitation(t, invitation.token))).toBe(dead);
  for (const [caller, options] of [
    [org.admin, {}],
    [platform, actingIn(org)],
  ] as const) {
    await settle(t, invitation);
    expectStatus(await resend(caller, invitation.id, options), 204);
    const [row] = (await listed(org.admin)).data;
    expect(row).toMatchObject({ expired: false, invitedBy: { id: idOf(caller), email: caller.email } });
    expect((await eventsIn(t, org, "USER_INVITATION_RESENT")).at(-1)).toEqual({
      action: "USER_INVITATION_RESENT",
      actor_id: idOf(caller),
      target_type: "invitation",
      target_id: invitation.id,
      metadata: { email: invitation.email },
    });
    expectStatus(await previewInvitation(t, await tokenFor(t, invitation.email)), 200);
  }
});

test("resending an invitation needs every permission that it grants, and a refused resend does not change the inviter", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const sender = await org.role("Sender", "Invitations.Resend", "Units.Read");
  const person = await org.member({ role: sender });
  const admin = await invited(t, org.admin, { roles: [{ role: sender }, { role: "UNIT_ADMIN", unit }] });
  const equal = await invited(t, org.admin, { roles: [{ role: sender }, { role: sender, unit }] });
  await settle(t, admin);
  await settle(t, equal);
  expect(outcome(await resend(person, admin.id))).toBe("403 PERMISSION_NOT_HELD");
  expectStatus(await previewInvitation(t, admin.token), 200);
  expect(await t.mailTo(admin.email)).toHaveLength(1);
  expect(outcome(await resend(person, equal.id))).toBe("204");
  const inviters = (await listed(org.admin)).data.map(({ id, invitedBy }) => [id, invitedBy?.id]);
  expect(Object.fromEntries(inviters)).toEqual({ [admin.id]: idOf(org.admin), [equal.id]: idOf(person) });
});

test("a user whose permission was removed can neither resend nor revoke invitations with an older access token", async () => {
  const org = await createOrganization(t);
  const invitation = await invited(t, org.admin);
  const person = await org.member({ role: "ORG_ADMIN" });
  await t.sql(
    "DELETE FROM membership_assignments WHERE membership_id IN (SELECT id FROM memberships WHERE user_id = $1)",
    [idOf(person)],
  );
  await settle(t, invitation);
  expect(outcome(await resend(person, invitation.id))).toBe("403 FORBIDDEN");
  expect(outcome(await revoke(person, invitation.id))).toBe("403 FORBIDDEN");
  expectStatus(await previewInvitation(t, invitation.token), 200);
});

test("revoking an invitation, expired or not, invalidates its link and writes an audit event with the actor", async () => {
  const org = await createOrganization(t);
  const other = await org.member({ role: "ORG_ADMIN" });
  const [pending, expired] = [await invited(t, org.admin), await invited(t, org.admin)];
  await expire(t, expired);
  for (const { id, email, token } of [pending, expired]) {
    expectStatus(await revoke(other, id), 204);
    expect(outcome(await previewInvitation(t, token))).toBe(dead);
    expect(outcome(await acceptNew(t, token))).toBe(dead);
    expect((await eventsIn(t, org, "USER_INVITATION_REVOKED")).at(-1)).toEqual({
      action: "USER_INVITATION_REVOKED",
      actor_id: idOf(other),
      target_type: "invitation",
      target_id: id,
      metadata: { email },
    });
  }
  expect((await listed(org.admin)).total).toBe(0);
});

/** Expects that the caller can neither resend nor revoke the invitation. */
async function expectMissing(caller: Caller, { id }: Pick<Invited, "id">, options = {}) {
  await t.age("user_invitations", { id }, { seconds: 61 });
  expect([outcome(await resend(caller, id, options)), outcome(await revoke(caller, id, options))]).toEqual([
    missing,
    missing,
  ]);
}

test("resending or revoking an accepted, revoked, superseded, unknown or another organization's invitation is 404", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const platform = await t.platformAdmin();
  const accepted = await invited(t, org.admin);
  expectStatus(await acceptNew(t, accepted.token), 204);
  const revoked = await invited(t, org.admin);
  expectStatus(await revoke(org.admin, revoked.id), 204);
  const superseded = await invited(t, org.admin);
  const pending = await invited(t, org.admin, { email: superseded.email });
  const before = await eventsIn(t, org, "");
  const mails = (await t.mailTo(superseded.email)).length;

  for (const invitation of [accepted, revoked, superseded, { id: crypto.randomUUID() }]) {
    await expectMissing(org.admin, invitation);
    await expectMissing(platform, invitation, actingIn(org));
  }
  await expectMissing(other.admin, pending);
  await expectMissing(platform, pending, actingIn(other));
  expect(await eventsIn(t, org, "")).toEqual(before);
  expect(await t.mailTo(superseded.email)).toHaveLength(mails);
  expectStatus(await previewInvitation(t, pending.token), 200);
});

test("an invitation can be resent only if at least one of its roles still exists", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const role = await org.role("Role");
  const empty = await invited(t, org.admin, { roles: [{ role }, { role: "MEMBER", unit }] });
  const partly = await invited(t, org.admin, { roles: [{ role }, { role: "MEMBER" }] });
  for (const invitation of [empty, partly]) await expire(t, invitation);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  expectStatus(await org.admin.delete(`/api/roles/${role}`), 204);
  expect(outcome(await resend(org.admin, empty.id))).toBe(missing);
  expectStatus(await resend(org.admin, partly.id), 204);
  expect(await t.mailTo(empty.email)).toHaveLength(1);
  expectStatus(await revoke(org.admin, empty.id), 204);
});
