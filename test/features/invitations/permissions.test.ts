import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  acceptNew,
  expire,
  invite,
  invited,
  listed,
  previewInvitation,
  resend,
  revoke,
  settle,
} from "../../support/invitations.ts";
import { createOrganization, type RoleAssignment } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

const notHeld = "403 PERMISSION_NOT_HELD";
const outside = "403 UNIT_FORBIDDEN";
const asks = async (caller: Caller, ...roles: RoleAssignment[]) => outcome(await invite(caller, { roles }));

/** Creates an organization with two trees of units, and a unit administrator in one of them. */
async function withUnitAdmin() {
  const org = await createOrganization(t);
  const top = await org.unit("Top");
  const unit = await org.unit("Unit", top);
  const below = await org.unit("Below", unit);
  const other = await org.unit("Other");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  return { org, top, unit, below, other, unitAdmin };
}

test("a unit administrator can invite only to that unit and its sub-units; every role of an invitation must be there", async () => {
  const { org, top, unit, below, other, unitAdmin } = await withUnitAdmin();
  const role = "MEMBER";
  expect(await asks(unitAdmin, { role, unit })).toBe("201");
  expect(await asks(unitAdmin, { role, unit: below }, { role: "UNIT_ADMIN", unit })).toBe("201");
  for (const place of [null, top, other]) {
    expect(await asks(unitAdmin, { role, unit: place })).toBe(outside);
    expect(await asks(unitAdmin, { role, unit }, { role, unit: place })).toBe(outside);
  }
  expect(await eventsIn(t, org, "USER_INVITED")).toHaveLength(2);
});

test("an invitation to an unknown unit is 400 and to one out of reach 403, before missing permissions are reported", async () => {
  const { other, unit, unitAdmin } = await withUnitAdmin();
  const nowhere = { role: "MEMBER", unit: crypto.randomUUID() };
  expect(await asks(unitAdmin, nowhere, { role: "MEMBER", unit: other })).toBe("400 VALIDATION_FAILED");
  expect(await asks(unitAdmin, { role: "ORG_ADMIN", unit: other })).toBe(outside);
  expect(await asks(unitAdmin, { role: "ORG_ADMIN", unit }, { role: "MEMBER" })).toBe(outside);
  expect(await asks(unitAdmin, { role: "ORG_ADMIN", unit })).toBe(notHeld);
});

test("an inviter needs every permission that the invitation grants, organization-wide or in the unit or above it", async () => {
  const { org, unit, below, unitAdmin } = await withUnitAdmin();
  const billing = await org.role("Billing", "Units.Read", "Billing.Read");
  const inviter = await org.role("Inviter", "Invitations.Create");
  const reader = await org.role("Reader", "Members.Read");
  const both = await org.role("Both", "Invitations.Create", "Members.Read");
  expect(await asks(unitAdmin, { role: billing, unit })).toBe(notHeld);
  expect(await asks(org.admin, { role: billing, unit }, { role: "ORG_ADMIN" })).toBe("201");

  const caller = await org.member({ role: inviter }, { role: reader, unit });
  expect(await asks(caller, { role: both, unit: below })).toBe("201");
  expect(await asks(caller, { role: inviter }, { role: inviter, unit })).toBe("201");
  expect(await asks(caller, { role: both })).toBe(notHeld);
  expect(await asks(caller, { role: inviter }, { role: reader })).toBe(notHeld);
  expect(await asks(caller, { role: "MEMBER" })).toBe(notHeld);
});

test("an invitation must be allowed both by the inviter's access token and by their current roles", async () => {
  const { org, unit } = await withUnitAdmin();
  const person = await org.member({ role: "ORG_ADMIN" });
  const path = `/api/members/${idOf(person)}/roles`;
  const { body } = await org.admin.get(`/api/roles?search=UNIT_ADMIN`);
  const roleId = body.data[0].id;
  expectStatus(await org.admin.patch(path, { assignments: [{ roleId, unitId: unit }] }), 200);
  expect(await asks(person, { role: "MEMBER" })).toBe(outside);
  expect(await asks(person, { role: "MEMBER", unit })).toBe("201");
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  expect(await asks(person, { role: "MEMBER", unit })).toBe("403 FORBIDDEN");
});

test("a unit administrator sees only invitations whose assignments are all inside the unit; others are 404", async () => {
  const { org, top, unit, below, other, unitAdmin } = await withUnitAdmin();
  const places: (string | null)[][] = [[null], [top], [other], [unit, other], [unit, null], [top, below]];
  const hidden = [];
  for (const units of places) {
    const roles = units.map((place) => ({ role: "MEMBER", unit: place }));
    hidden.push(await invited(t, org.admin, { roles }));
  }
  const inside = [
    await invited(t, org.admin, { roles: [{ role: "MEMBER", unit }] }),
    await invited(t, org.admin, {
      roles: [
        { role: "MEMBER", unit: below },
        { role: "UNIT_ADMIN", unit },
      ],
    }),
  ];
  const { data, total } = await listed(unitAdmin, "order=asc");
  expect([total, ...data.map(({ id }) => id)]).toEqual([2, ...inside.map(({ id }) => id)]);
  expect((await listed(unitAdmin, `search=${hidden[0]?.email}`)).total).toBe(0);

  for (const invitation of hidden) {
    await settle(t, invitation);
    expect(outcome(await resend(unitAdmin, invitation.id))).toBe("404 NOT_FOUND");
    expect(outcome(await revoke(unitAdmin, invitation.id))).toBe("404 NOT_FOUND");
    expectStatus(await previewInvitation(t, invitation.token), 200);
  }
  for (const invitation of inside) {
    await settle(t, invitation);
    expect(outcome(await resend(unitAdmin, invitation.id))).toBe("204");
    expect(outcome(await revoke(unitAdmin, invitation.id))).toBe("204");
  }
  expect((await listed(org.admin)).total).toBe(hidden.length);
});

test("a unit administrator's invitation supersedes one inside the unit, and is 409 if the existing one reaches beyond it", async () => {
  const { org, top, unit, below, other, unitAdmin } = await withUnitAdmin();
  const roles = [{ role: "MEMBER", unit }];
  const places: (string | null)[][] = [[null], [top], [other], [unit, other], [below, null]];
  for (const units of places) {
    const beyond = units.map((place) => ({ role: "MEMBER", unit: place }));
    const { id, email, token } = await invited(t, org.admin, { roles: beyond });
    expect(outcome(await invite(unitAdmin, { email, roles }))).toBe("409 CONFLICT");
    expectStatus(await previewInvitation(t, token), 200);
    expect(await t.mailTo(email)).toHaveLength(1);
    expect((await listed(org.admin, `search=${email}`)).data.map((row) => row.id)).toEqual([id]);
  }
  const inside = [
    { role: "MEMBER", unit: below },
    { role: "UNIT_ADMIN", unit },
  ];
  const { id, email, token } = await invited(t, org.admin, { roles: inside });
  expect(outcome(await invite(unitAdmin, { email, roles }))).toBe("201");
  expect(outcome(await previewInvitation(t, token))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  expect((await eventsIn(t, org, "USER_INVITED")).at(-1)?.metadata.supersededId).toBe(id);
});

test("a unit administrator's invitation supersedes an expired one of any unit", async () => {
  const { org, unit, unitAdmin } = await withUnitAdmin();
  const gone = await org.member({ role: "ORG_ADMIN" });
  const byTime = await invited(t, org.admin);
  const byInviter = await invited(t, gone);
  await expire(t, byTime);
  expectStatus(await gone.post("/api/organization/leave"), 204);
  for (const { id, email } of [byTime, byInviter]) {
    expect(outcome(await invite(unitAdmin, { email, roles: [{ role: "MEMBER", unit }] }))).toBe("201");
    expect((await eventsIn(t, org, "USER_INVITED")).at(-1)?.metadata.supersededId).toBe(id);
    expect((await listed(org.admin, `search=${email}`)).total).toBe(1);
  }
});

test("a unit administrator who invites a member of any unit gets ALREADY_MEMBER, after the invited unit is authorized", async () => {
  const { org, unit, other, unitAdmin } = await withUnitAdmin();
  const { email } = await org.member({ role: "MEMBER", unit: other });
  const ask = async (place: string) =>
    outcome(await invite(unitAdmin, { email, roles: [{ role: "MEMBER", unit: place }] }));
  expect(await ask(unit)).toBe("409 ALREADY_MEMBER");
  expect(await ask(other)).toBe(outside);
});

test("a platform administrator can invite with any role to the organization in X-Organization-Id", async () => {
  const { org, unit } = await withUnitAdmin();
  const admin = await t.platformAdmin();
  const named = actingIn(org);
  const email = uniqueEmail();
  const roles = [{ role: "ORG_ADMIN" }, { role: "ORG_ADMIN", unit }];
  const invitation = await invited(t, admin, { email, roles, ...named });
  expect((await listed(admin, "", named)).data[0]?.invitedBy).toEqual({
    id: idOf(admin),
    email: admin.email,
  });
  expect((await eventsIn(t, org, "USER_INVITED"))[0]?.actor_id).toBe(idOf(admin));
  await settle(t, invitation);
  expectStatus(await resend(admin, invitation.id, named), 204);
  expectStatus(await revoke(admin, invitation.id, named), 204);
  expectStatus(await acceptNew(t, (await invited(t, admin, { roles, ...named })).token), 204);
});

test("a suspended organization's invitations can be listed and revoked, but not created", async () => {
  const { org } = await withUnitAdmin();
  const admin = await t.platformAdmin();
  const [one, two] = [await invited(t, org.admin), await invited(t, org.admin)];
  await settle(t, one);
  expectStatus(await admin.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }), 200);
  for (const [caller, options] of [
    [org.admin, {}],
    [admin, actingIn(org)],
  ] as const) {
    expect(outcome(await invite(caller, options))).toBe("400 ORGANIZATION_SUSPENDED");
    expect(outcome(await resend(caller, one.id, options))).toBe("400 ORGANIZATION_SUSPENDED");
    const { data } = await listed(caller, "order=asc", options);
    expect(data.map(({ id }) => id)).toContain(one.id);
  }
  expectStatus(await revoke(admin, two.id, actingIn(org)), 204);
  expect(await t.mailTo(one.email)).toHaveLength(1);
  expectStatus(await admin.patch(`/api/organizations/${org.id}/status`, { status: "ACTIVE" }), 200);
  // The suspension has ended the administrator's session.
  expectStatus(await org.admin.login(), 200);
  expectStatus(await resend(org.admin, one.id), 204);
});
