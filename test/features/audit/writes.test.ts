import { expect, test } from "bun:test";
import { withFailingAudit } from "../../support/audit.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import {
  accept,
  expire,
  invite,
  invited,
  NEW_ACCOUNT,
  resend,
  revoke,
  settle,
} from "../../support/invitations.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, outcome } from "../../support/outcomes.ts";
import { PLANS, planFiles } from "../../support/plans.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken, sameBrowser } from "../../support/sessions.ts";

/* An audit event is written in the transaction of its change: if it fails, the change is rolled back (rules 16.2). */

const t = await startService({ BILLING_PLANS_FILE: planFiles()(PLANS) });

/** Returns the row count and a digest of each table, including queued mails and jobs. */
async function contents(): Promise<Record<string, string>> {
  const tables = await t.sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname = 'public' OR (schemaname = 'pgboss' AND tablename LIKE 'job%') ORDER BY 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const digest = `SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '') AS is FROM ${name} r`;
    found[name] = (await t.sql<{ is: string }>(digest))[0]?.is ?? "";
  }
  return found;
}

type Options = { headers: Record<string, string> };
type Send = (options: Options) => Promise<ApiResponse>;
/** For each change: its audit events, and a function that creates accounts and returns the request that makes the change. */
const changes: Record<string, { events: string[]; prepare: () => Promise<Send> }> = {};
const change = (name: string, events: string[], prepare: () => Promise<Send>) => {
  changes[name] = { events, prepare };
};

const person = () => ({ email: uniqueEmail(), password: "wide blue yonder", firstName: "A", lastName: "B" });
const named = ({ headers }: Options, organization: { id: string }) => ({
  headers: { ...headers, ...actingIn(organization).headers },
});
/** Creates an organization with a member and a unit. */
async function inhabited() {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const other = await org.unit("Other");
  const member = await org.member({ role: "MEMBER" }, { role: "MEMBER", unit });
  return { org, admin: org.admin, unit, other, member, path: `/api/members/${idOf(member)}` };
}
const by = async (change: (caller: Caller, options: Options) => Promise<ApiResponse>): Promise<Send> => {
  const { admin } = await createOrganization(t);
  return (options) => change(admin, options);
};

change("a registration", ["USER_REGISTERED"], async () => {
  const body = person();
  return (options) => t.anonymous().post("/api/auth/register", body, options);
});
change("a verification", ["EMAIL_VERIFIED"], async () => {
  const { token } = await t.linkTo((await t.unverifiedPerson()).email, "/verify-email");
  return (options) => t.anonymous().post("/api/auth/verify-email", { token }, options);
});
change("a verification that founds an organization", ["EMAIL_VERIFIED", "ORGANIZATION_CREATED"], async () => {
  const body = { ...person(), organizationName: "Acme" };
  expectStatus(await t.anonymous().post("/api/auth/register", body), 202);
  const { token } = await t.linkTo(body.email, "/verify-email");
  return (options) => t.anonymous().post("/api/auth/verify-email", { token }, options);
});
change("a reset", ["PASSWORD_RESET"], async () => {
  const token = await resetToken(t, (await t.person()).email);
  return (options) =>
    t.anonymous().post("/api/auth/reset-password", { token, newPassword: "a new blue yonder" }, options);
});
for (const [is, event] of [
  [true, "PLATFORM_ADMIN_GRANTED"],
  [false, "PLATFORM_ADMIN_REVOKED"],
] as const)
  change(`platform administration ${is ? "given" : "taken"}`, [event], async () => {
    const [admin, other] = [await t.platformAdmin(), await (is ? t.person() : t.platformAdmin())];
    return (options) => admin.patch(`/api/users/${idOf(other)}`, { isPlatformAdmin: is }, options);
  });
change("the end of an account", ["MEMBER_REMOVED", "MEMBER_REMOVED", "USER_DELETED"], async () => {
  const admin = await t.platformAdmin();
  const { member } = await inhabited();
  await (await inhabited()).org.add(member, { role: "MEMBER" });
  return (options) => admin.delete(`/api/users/${idOf(member)}`, options);
});

change("a founding", ["ORGANIZATION_CREATED"], async () => {
  const founder = await t.person();
  return (options) => founder.post("/api/auth/organizations", { name: "New" }, options);
});
change("an organization made by the platform", ["ORGANIZATION_CREATED", "USER_INVITED"], async () => {
  const admin = await t.platformAdmin();
  const body = { name: "New", ownerEmail: uniqueEmail() };
  return (options) => admin.post("/api/organizations", body, options);
});
change("the end of an organization", ["ORGANIZATION_DELETED"], async () => {
  const [admin, { org, unit }] = [await t.platformAdmin(), await inhabited()];
  await invite(org.admin, { roles: [{ role: "MEMBER", unit }] });
  await org.role("Own", "Units.Read");
  return (options) => admin.delete(`/api/organizations/${org.id}`, options);
});
change("an organization's new name", ["ORGANIZATION_UPDATED"], () =>
  by((admin, options) => admin.patch("/api/organization", { name: "New", slug: `s-${Date.now()}` }, options)),
);
for (const [name, path, body, event] of [
  ["name, given by the platform", "", { name: "New" }, "ORGANIZATION_UPDATED"],
  ["suspension", "/status", { status: "SUSPENDED" }, "ORGANIZATION_STATUS_CHANGED"],
  ["plan", "/plan", { planOverride: "enterprise" }, "ORGANIZATION_PLAN_CHANGED"],
] as const)
  change(`an organization's ${name}`, [event], async () => {
    const [admin, org] = [await t.platformAdmin(), await createOrganization(t)];
    return (options) => admin.patch(`/api/organizations/${org.id}${path}`, body, options);
  });
change("a switch", ["ORGANIZATION_SWITCHED"], async () => {
  const { org, member } = await inhabited();
  return (options) => member.post("/api/auth/organization", { organizationId: org.id }, options);
});

change("a new unit", ["UNIT_CREATED"], () =>
  by((admin, options) => admin.post("/api/units", { name: "New", parentId: null }, options)),
);
change("a unit's name and place", ["UNIT_UPDATED"], async () => {
  const { admin, unit, other } = await inhabited();
  return (options) => admin.patch(`/api/units/${unit}`, { name: "New", parentId: other }, options);
});
change("the end of a unit", ["UNIT_DELETED"], async () => {
  const { admin, other } = await inhabited();
  return (options) => admin.delete(`/api/units/${other}`, options);
});
change("a new role", ["ROLE_CREATED"], () =>
  by((admin, options) => admin.post("/api/roles", { name: "New", permissions: ["Units.Read"] }, options)),
);
change("a role's name and permissions", ["ROLE_UPDATED"], async () => {
  const { org, admin } = await inhabited();
  const id = await org.role("Old", "Units.Read");
  return (options) => admin.patch(`/api/roles/${id}`, { name: "New", permissions: [] }, options);
});
change("the end of a role", ["ROLE_DELETED"], async () => {
  const { org, admin } = await inhabited();
  const id = await org.role("Old", "Units.Read");
  return (options) => admin.delete(`/api/roles/${id}`, options);
});

change("a member's roles, with a link", ["MEMBER_ROLES_CHANGED"], async () => {
  const { admin, path, other } = await inhabited();
  const body = assignments({ role: "UNIT_ADMIN", unit: other });
  return (options) => admin.patch(`${path}/roles`, body, options);
});
change("a member's units", ["MEMBER_UNITS_CHANGED"], async () => {
  const { admin, path, unit, other } = await inhabited();
  return (options) => admin.patch(`${path}/units`, { unitIds: [unit, other] }, options);
});
change("a removal", ["MEMBER_REMOVED"], async () => {
  const { admin, path } = await inhabited();
  return (options) => admin.delete(path, options);
});
change("a removal by the platform", ["MEMBER_REMOVED"], async () => {
  const [admin, { org, path }] = [await t.platformAdmin(), await inhabited()];
  return (options) => admin.delete(path, named(options, org));
});
change("a leaving", ["MEMBER_LEFT"], async () => {
  const { member } = await inhabited();
  return (options) => member.post("/api/organization/leave", undefined, options);
});

for (const earlier of ["none", "pending", "expired"])
  change(`an invitation, where ${earlier} was before`, ["USER_INVITED"], async () => {
    const { admin, unit } = await inhabited();
    const details = { email: uniqueEmail(), roles: [{ role: "MEMBER", unit }] };
    if (earlier !== "none") {
      const invitation = await invited(t, admin, details);
      if (earlier === "expired") await expire(t, invitation);
    }
    return ({ headers }) => invite(admin, { ...details, headers });
  });
change("an invitation sent again", ["USER_INVITATION_RESENT"], async () => {
  const { admin } = await inhabited();
  const invitation = await invited(t, admin);
  await settle(t, invitation);
  return (options) => resend(admin, invitation.id, options);
});
change("an invitation revoked", ["USER_INVITATION_REVOKED"], async () => {
  const { admin } = await inhabited();
  const { id } = await invited(t, admin);
  return (options) => revoke(admin, id, options);
});
change("an invitation accepted with a new account", ["USER_INVITATION_ACCEPTED"], async () => {
  const { token } = await invited(t, (await inhabited()).admin);
  return (options) => accept(t.anonymous(), { token, ...NEW_ACCOUNT }, options);
});
change("an invitation accepted with an account", ["USER_INVITATION_ACCEPTED"], async () => {
  const [{ admin, unit }, guest] = [await inhabited(), await t.person()];
  const { token } = await invited(t, admin, { email: guest.email, roles: [{ role: "MEMBER", unit }] });
  return (options) => accept(guest, { token }, options);
});

for (const [name, { events, prepare }] of Object.entries(changes))
  test(`${name}: if its audit event cannot be written, it is 500 and changes nothing; else each change writes one event`, async () => {
    const send = await prepare();
    await t.drain();
    const before = await contents();
    const refused = await withFailingAudit(t, () => send({ headers: {} }));
    expect(outcome(refused)).toBe("500 INTERNAL_ERROR");
    expect(JSON.stringify(refused.body)).not.toContain("events today");
    expect(await contents()).toEqual(before);

    const requestId = `test-${crypto.randomUUID()}`;
    expect((await send({ headers: { "x-request-id": requestId } })).status).toBeLessThan(300);
    const written = await t.sql<{ action: string }>(
      "SELECT action FROM audit_events WHERE request_id = $1 ORDER BY action",
      [requestId],
    );
    expect(written.map(({ action }) => action)).toEqual(events);
  });

test("the tests of this file cover every audit event of rules 16.4 and 16.5 that a route can cause", () => {
  const told = new Set(Object.values(changes).flatMap(({ events }) => events));
  expect([...told].sort()).toEqual(
    [
      ...["EMAIL_VERIFIED", "MEMBER_LEFT", "MEMBER_REMOVED", "MEMBER_ROLES_CHANGED", "MEMBER_UNITS_CHANGED"],
      ...["ORGANIZATION_CREATED", "ORGANIZATION_DELETED", "ORGANIZATION_PLAN_CHANGED"],
      ...["ORGANIZATION_STATUS_CHANGED", "ORGANIZATION_SWITCHED", "ORGANIZATION_UPDATED", "PASSWORD_RESET"],
      ...["PLATFORM_ADMIN_GRANTED", "PLATFORM_ADMIN_REVOKED", "ROLE_CREATED", "ROLE_DELETED", "ROLE_UPDATED"],
      ...["UNIT_CREATED", "UNIT_DELETED", "UNIT_UPDATED", "USER_DELETED", "USER_INVITATION_ACCEPTED"],
      ...["USER_INVITATION_RESENT", "USER_INVITATION_REVOKED", "USER_INVITED", "USER_REGISTERED"],
    ].sort(),
  );
});

test("logins, failed logins and the revocation after a reused token take effect even if their audit event cannot be written", async () => {
  const someone = await t.person();
  const stale = sameBrowser(someone);
  const other = t.anonymous();
  await withFailingAudit(t, async () => {
    expectStatus(await other.post("/api/auth/login", someone.account), 200);
    const wrong = {
      email: someone.email,
      password: "the password alone does not get past the second factor",
    };
    expectStatus(await t.anonymous().post("/api/auth/login", wrong), 401);
    expectStatus(await t.anonymous().post("/api/auth/login", { ...wrong, email: uniqueEmail() }), 401);
    for (let time = 0; time < 2; time += 1) expectStatus(await someone.refresh(), 200);
    expectStatus(await stale.refresh(), 401);
  });
  expectStatus(await other.refresh(), 401);
  expect((await t.mailTo(someone.email)).at(-1)?.subject).toBe("All your sessions were ended");
  expectStatus(await someone.login(), 200);
});
