import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import {
  accept,
  acceptAs,
  acceptNew,
  deleteAccount,
  INVITATIONS,
  invited,
  listed,
  NEW_ACCOUNT,
  previewInvitation,
} from "../../support/invitations.ts";
import {
  createOrganization,
  type Organization,
  type RoleAssignment,
  roleId,
} from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

/* Accepting an invitation with an existing account, and the granted roles if some of them were deleted. */
const t = await sharedService();

const memberOf = async (org: Organization, person: Caller) =>
  expectStatus(await org.admin.get(`/api/members/${idOf(person)}`), 200).body;
const typesOf = async (person: Caller) =>
  (await person.get("/api/notifications")).body.data.map(({ type }: { type: string }) => type);
const suspend = async (admin: Caller, org: Organization, status: "SUSPENDED" | "ACTIVE") =>
  expectStatus(await admin.patch(`/api/organizations/${org.id}/status`, { status }), 200);

test("a signed-in user accepts an invitation, keeps the account's data, and has the organization after the next refresh", async () => {
  const own = await createOrganization(t, "Own");
  const org = await createOrganization(t, "Joined");
  const unit = await org.unit("Sales");
  const person = own.admin;
  const roles = [{ role: "MEMBER" }, { role: "UNIT_ADMIN", unit }];
  const { id, email, token } = await invited(t, org.admin, { email: person.email, roles, language: "el" });
  const before = await t.sql("SELECT * FROM users WHERE email = $1", [email]);
  const response = expectStatus(await acceptAs(person, token), 204);
  expect(response.cookie).toBeNull();

  expect(await t.sql("SELECT * FROM users WHERE email = $1", [email])).toEqual(before);
  expect(await memberOf(org, person)).toMatchObject({ units: [{ id: unit, name: "Sales" }] });
  expect(await typesOf(person)).toEqual(["WELCOME"]);
  expect(await typesOf(org.admin)).toEqual(["INVITATION_ACCEPTED", "WELCOME"]);
  const [event, ...more] = await eventsIn(t, org, "USER_INVITATION_ACCEPTED");
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    actor_id: idOf(person),
    target_type: "user",
    target_id: idOf(person),
    metadata: { invitationId: id, roles: ["MEMBER", "UNIT_ADMIN"], existingAccount: true },
  });
  expect(event?.metadata.assignments).toHaveLength(2);

  expectStatus(await person.refresh(), 200);
  expect(claimsOf(person.accessToken ?? "").organization.id).toBe(own.id);
  const { body } = await person.get("/api/auth/organizations");
  expect(body.map(({ name }: { name: string }) => name)).toEqual(["Joined", "Own"]);
  expectStatus(await person.post("/api/auth/organization", { organizationId: org.id }), 200);
  expectStatus(await person.get("/api/units"), 200);
});

test("accepting with an existing account is checked in this order: link, session, address, suspended organization, membership", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const [person, stranger] = [await t.person(), await t.person()];
  const { email, token } = await invited(t, org.admin, { email: person.email });
  const ask = async (caller: Caller, secret = token, options = {}) =>
    outcome(await accept(caller, { token: secret }, options));
  await org.add(person, { role: "MEMBER" });
  await suspend(admin, org, "SUSPENDED");
  const before = await eventsIn(t, org, "");

  for (const caller of [t.anonymous(), stranger, person])
    expect(await ask(caller, "dead")).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  expect(await ask(t.anonymous())).toBe("401 UNAUTHENTICATED");
  for (const authorization of ["Bearer nonsense", `Bearer ${person.accessToken}x`, "Basic YTpi"])
    expect(await ask(person, token, { headers: { authorization } })).toBe("401 UNAUTHENTICATED");
  expect(await ask(stranger)).toBe("403 INVITATION_EMAIL_MISMATCH");
  expect(await ask(admin)).toBe("403 INVITATION_EMAIL_MISMATCH");
  expect(await ask(person)).toBe("400 ORGANIZATION_SUSPENDED");
  expect((await previewInvitation(t, token)).body.accountExists).toBe(true);
  expect(await eventsIn(t, org, "")).toEqual(before);
  await suspend(admin, org, "ACTIVE");
  expect(await ask(person)).toBe("409 ALREADY_MEMBER");
  expect((await listed(admin, "", actingIn(org))).data[0]).toMatchObject({ email, expired: false });
  expect(await eventsIn(t, org, "USER_INVITATION_")).toEqual([]);
});

test("accepting an invitation compares its address with the account's current one, not the one in the access token", async () => {
  const org = await createOrganization(t);
  const person = await t.person();
  const former = await invited(t, org.admin, { email: person.email });
  const now = await invited(t, org.admin);
  await t.sql("UPDATE users SET email = $2 WHERE id = $1", [idOf(person), now.email]);
  expect(outcome(await acceptAs(person, former.token))).toBe("403 INVITATION_EMAIL_MISMATCH");
  expectStatus(await acceptAs(person, now.token), 204);
});

test("a deleted account cannot accept an invitation with an access token that has not expired", async () => {
  const org = await createOrganization(t);
  const person = await t.person();
  const { token } = await invited(t, org.admin, { email: person.email });
  await deleteAccount(t, person.email);
  expect(outcome(await acceptAs(person, token))).toBe("401 UNAUTHENTICATED");
  expect(await t.sql("SELECT FROM memberships WHERE user_id = $1", [idOf(person)])).toEqual([]);
});

test("a platform administrator can accept an invitation, but still has no active organization", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const { token } = await invited(t, org.admin, { email: admin.email });
  expectStatus(await accept(admin, { token }, actingIn({ id: crypto.randomUUID() })), 204);
  expect((await memberOf(org, admin)).assignments).toHaveLength(1);
  expectStatus(await admin.refresh(), 200);
  expect(claimsOf(admin.accessToken ?? "")).toMatchObject({ organization: null, roles: [] });
  const { body } = await admin.get("/api/auth/organizations");
  expect(body).toMatchObject([{ id: org.id, current: false }]);
});

test("a former member returns with only the new roles and a new joining date", async () => {
  const org = await createOrganization(t);
  const [past, unit] = [await org.unit("Past"), await org.unit("Unit")];
  const person = await org.member({ role: "ORG_ADMIN" }, { role: "UNIT_ADMIN", unit: past });
  await t.age("memberships", { user_id: idOf(person) }, { days: 30 });
  const before = await memberOf(org, person);
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  const { token } = await invited(t, org.admin, { email: person.email, roles: [{ role: "MEMBER", unit }] });
  expectStatus(await acceptAs(person, token), 204);
  const after = await memberOf(org, person);
  expect(after).toEqual({
    ...before,
    joinedAt: expect.any(String),
    assignments: [
      { role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: { id: unit, name: "Unit" }, source: "manual" },
    ],
    units: [{ id: unit, name: "Unit" }],
  });
  expect(Date.parse(after.joinedAt) - Date.parse(before.joinedAt)).toBeGreaterThan(29 * 24 * 3600 * 1000);
  const count = "SELECT FROM memberships WHERE organization_id = $1 AND user_id = $2";
  expect(await t.sql(count, [org.id, idOf(person)])).toHaveLength(1);
});

/** Invites with these roles, runs `gone`, accepts; returns the roles and units of the new member. */
async function granted(org: Organization, roles: RoleAssignment[], gone: () => Promise<unknown>) {
  const { email, token } = await invited(t, org.admin, { roles });
  await gone();
  expectStatus(await acceptNew(t, token), 204);
  const [member] = (await org.admin.get(`/api/members?search=${email}`)).body.data;
  const names = member.assignments.map(
    ({ role, unit }: { role: { name: string }; unit: { name: string } | null }) =>
      unit === null ? role.name : `${role.name} in ${unit.name}`,
  );
  const event = (await eventsIn(t, org, "USER_INVITATION_ACCEPTED")).at(-1);
  const entries = event?.metadata.assignments as { roleName: string; unitName: string | null }[];
  const told = entries.map(({ roleName, unitName }) =>
    unitName === null ? roleName : `${roleName} in ${unitName}`,
  );
  expect(told).toEqual(names);
  return { names, units: member.units.map(({ name }: { name: string }) => name) };
}
const vanish = (table: "roles" | "units", id: string) =>
  t.sql(`UPDATE ${table} SET is_deleted = true, deleted_at = now() WHERE id = $1`, [id]);

test("accepting an invitation grants only assignments whose role and unit still exist", async () => {
  const org = await createOrganization(t);
  const [kept, lost] = [await org.unit("Kept"), await org.unit("Lost")];
  const [role, gone] = [await org.role("Role"), await org.role("Gone")];
  const roles = [{ role, unit: kept }, { role, unit: lost }, { role: gone }, { role: gone, unit: kept }];
  const left = await granted(org, roles, async () => {
    await vanish("units", lost);
    await vanish("roles", gone);
  });
  expect(left).toEqual({ names: ["Role in Kept"], units: ["Kept"] });
});

test("if none of an invitation's roles exists any more, accepting grants the organization's default role, organization-wide", async () => {
  const org = await createOrganization(t);
  const [usual, unit] = [await org.role("Usual"), await org.unit("Unit")];
  expectStatus(await org.admin.patch("/api/organization", { defaultRoleId: usual }), 200);
  const roles = [{ role: "UNIT_ADMIN", unit }];
  expect(await granted(org, roles, () => vanish("units", unit))).toEqual({ names: ["Usual"], units: [] });
});

test("if none of an invitation's roles exists and the organization has no default role, accepting grants the platform's default role", async () => {
  const org = await createOrganization(t);
  const [one, two, usual] = [await org.role("One"), await org.role("Two"), await org.role("Usual")];
  const member = { names: ["MEMBER"], units: [] };
  expect(await granted(org, [{ role: one }], () => vanish("roles", one))).toEqual(member);
  expectStatus(await org.admin.patch("/api/organization", { defaultRoleId: usual }), 200);
  const both = async () => {
    await vanish("roles", two);
    await vanish("roles", usual);
  };
  expect(await granted(org, [{ role: two }], both)).toEqual(member);
});

test("an account that has accepted invitations of several organizations signs in to the first", async () => {
  const [one, two] = [await createOrganization(t, "One"), await createOrganization(t, "Two")];
  const email = uniqueEmail();
  const first = await invited(t, one.admin, { email });
  expectStatus(await acceptNew(t, first.token), 204);
  const second = await invited(t, two.admin, { email });
  const person = t.anonymous();
  person.account.email = email;
  expectStatus(await person.login(NEW_ACCOUNT.password), 200);
  expectStatus(await acceptAs(person, second.token), 204);
  expectStatus(await person.login(NEW_ACCOUNT.password), 200);
  expect(claimsOf(person.accessToken ?? "").organization.id).toBe(one.id);
  expect(outcome(await person.get(INVITATIONS))).toBe("403 FORBIDDEN");
});

test("an inviter who accepts their own invitation is not notified", async () => {
  const org = await createOrganization(t);
  const admin = await t.platformAdmin();
  const { token } = await invited(t, admin, { email: admin.email, ...actingIn(org) });
  expectStatus(await acceptAs(admin, token), 204);
  expect(await typesOf(admin)).toEqual(["WELCOME"]);
  expect(await eventsIn(t, org, "USER_INVITATION_ACCEPTED")).toHaveLength(1);
});
