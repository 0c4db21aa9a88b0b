import { expect, test } from "bun:test";
import { Caller, claimsOf } from "../../support/caller.ts";
import { eventsAbout, eventsOf } from "../../support/events.ts";
import { assignments, createOrganization, roleId, userIdOf } from "../../support/organizations.ts";
import { race } from "../../support/race.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const t = await sharedService();

const PASSWORD = "wide blue yonder";
/** Registers a user with an organization name; the verification mail stays unread. */
async function registered(organizationName: unknown, status = 202) {
  const caller = new Caller(t.url, { email: uniqueEmail(), password: PASSWORD });
  const account = { ...caller.account, firstName: "Ada", lastName: "Lovelace" };
  const { body } = expectStatus(
    await caller.post("/api/auth/register", { ...account, organizationName }),
    status,
  );
  return { caller, body };
}
const found = (caller: Caller, body: unknown = { name: "Acme" }) =>
  caller.post("/api/auth/organizations", body);
const own = async (caller: Caller) => (await caller.get("/api/auth/organizations")).body;
const organizationsNamed = (name: string) => t.sql("SELECT id FROM organizations WHERE name = $1", [name]);
const SHAPE = { status: "ACTIVE", defaultRoleId: null, connectedApps: "approved" };

test("an organization named at registration is created when the verification link is used, not before", async () => {
  const name = `Named ${crypto.randomUUID()}`;
  const { caller } = await registered(`  ${name} `);
  expect(await organizationsNamed(name)).toEqual([]);

  const { token } = await t.linkTo(caller.email, "/verify-email");
  expectStatus(await caller.post("/api/auth/verify-email", { token }), 204);
  const { organization, roles } = claimsOf((await caller.login()).body.accessToken);
  expect([organization.name, roles]).toEqual([name, ["ORG_ADMIN"]]);
  expect((await caller.get("/api/organization")).body).toMatchObject({ ...organization, ...SHAPE });
  expect((await caller.get("/api/members")).body.data).toMatchObject([
    {
      email: caller.email,
      assignments: [{ role: { name: "ORG_ADMIN" }, unit: null, source: "manual" }],
      units: [],
    },
  ]);
  expect(await eventsAbout(t, organization.id)).toMatchObject([
    {
      action: "ORGANIZATION_CREATED",
      actor_id: await userIdOf(t, caller),
      target_type: "organization",
      organization_id: null,
    },
  ]);
});

test("an organization named at registration is also created by a password reset, and only once", async () => {
  const name = `Reset ${crypto.randomUUID()}`;
  const { caller } = await registered(name);
  const { token } = await t.linkTo(caller.email, "/verify-email");
  const reset = { token: await resetToken(t, caller.email), newPassword: "a new blue yonder" };
  expectStatus(await caller.post("/api/auth/reset-password", reset), 204);
  await caller.post("/api/auth/verify-email", { token });
  await t.age("password_reset_tokens", {}, { minutes: 2 });
  const again = { token: await resetToken(t, caller.email), newPassword: "a second blue yonder" };
  expectStatus(await caller.post("/api/auth/reset-password", again), 204);

  expect(await organizationsNamed(name)).toHaveLength(1);
  const { organization, roles } = claimsOf((await caller.login(again.newPassword)).body.accessToken);
  expect([organization.name, roles]).toEqual([name, ["ORG_ADMIN"]]);
});

test("a verification link and a password reset used concurrently create the named organization once", async () => {
  const name = `Race ${crypto.randomUUID()}`;
  const { caller } = await registered(name);
  const { token } = await t.linkTo(caller.email, "/verify-email");
  const reset = { token: await resetToken(t, caller.email), newPassword: PASSWORD };
  const responses = await race(2, (index) =>
    index === 0
      ? caller.post("/api/auth/verify-email", { token })
      : caller.post("/api/auth/reset-password", reset),
  );
  expect(responses.map(({ status }) => status)).toContain(204);
  expect(await organizationsNamed(name)).toHaveLength(1);
});

test("an organization's name is trimmed, one line and 1 to 100 characters long on every route", async () => {
  const founder = await t.person();
  const sentences = [
    ["", "should not be empty"],
    ["   ", "should not be empty"],
    ["a".repeat(101), "must be shorter than or equal to 100 characters"],
    ["Ac\u0007me", "must not contain control characters"],
    [7, "must be a string"],
  ] as const;
  for (const [name, sentence] of sentences) {
    expect((await registered(name, 400)).body.message).toBe(`organizationName ${sentence}`);
    expect(expectStatus(await found(founder, { name }), 400).body.message).toBe(`name ${sentence}`);
  }
  const longest = "🦆".repeat(100);
  expect(expectStatus(await found(founder, { name: ` ${longest} ` }), 201).body.name).toBe(longest);
});

test("creating an organization makes the caller its administrator, but does not switch the session to it", async () => {
  const { admin, id } = await createOrganization(t, "Before");
  const { body } = expectStatus(await found(admin), 201);
  const { createdAt } = body;
  expect(body).toEqual({ id: body.id, name: "Acme", slug: expect.any(String), ...SHAPE, createdAt });
  expect(await own(admin)).toMatchObject([
    { id: body.id, roles: ["ORG_ADMIN"], current: false },
    { id, roles: ["ORG_ADMIN"], current: true },
  ]);
  for (const response of [await admin.refresh(), await admin.login()])
    expect(claimsOf(response.body.accessToken).organization.id).toBe(id);
  expect(await eventsAbout(t, body.id)).toMatchObject([
    { action: "ORGANIZATION_CREATED", actor_id: await userIdOf(t, admin), organization_id: null },
  ]);
});

test("a user can create at most five organizations a day, without the one of the registration and failed attempts", async () => {
  const { caller } = await registered("First");
  const { token } = await t.linkTo(caller.email, "/verify-email");
  expectStatus(await caller.post("/api/auth/verify-email", { token }), 204);
  await caller.login();
  expectStatus(await found(caller, { name: "" }), 400);
  for (let count = 0; count < 5; count += 1) expectStatus(await found(caller), 201);

  const { body, headers } = expectStatus(await found(caller), 429);
  expect(body.code).toBe("TOO_MANY_REQUESTS");
  const seconds = Number(headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(86_000);
  expect(seconds).toBeLessThanOrEqual(86_400);
  expectStatus(await found(caller, { name: "" }), 400);
  expect(await own(caller)).toHaveLength(6);
  expectStatus(await found(await t.person()), 201);

  await t.age("organizations", { founded_by_id: await userIdOf(t, caller) }, { hours: 25 });
  expectStatus(await found(caller), 201);
});

test("platform administrators cannot create organizations for themselves", async () => {
  const admin = await t.platformAdmin();
  for (const body of [{ name: "Acme" }, { wrong: 1 }])
    expect((await found(admin, body)).body).toMatchObject({ statusCode: 403, code: "FORBIDDEN" });
});

test("a deleted account cannot create an organization with an access token that has not expired", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [person.email]);
  expect((await found(person)).body).toMatchObject({ statusCode: 401, code: "UNAUTHENTICATED" });
});

test("a user's organizations are listed by name with roles, status and a flag for the current one", async () => {
  const [zeta, alpha, eclair] = [
    await createOrganization(t, "zeta"),
    await createOrganization(t, "Alpha"),
    await createOrganization(t, "Éclair"),
  ];
  const person = await t.person();
  const clerk = await zeta.role("Clerk", "Units.Read");
  const [east, west] = [await zeta.unit("East"), await zeta.unit("West")];
  await zeta.add(
    person,
    { role: "MEMBER" },
    { role: clerk, unit: east },
    { role: clerk, unit: west },
    { role: "MEMBER", unit: east },
  );
  await alpha.add(person, { role: "MEMBER" });
  await eclair.add(person, { role: "MEMBER" });
  const admin = await t.platformAdmin();
  expectStatus(await admin.patch(`/api/organizations/${alpha.id}/status`, { status: "SUSPENDED" }), 200);
  expectStatus(await person.post("/api/auth/organization", { organizationId: zeta.id }), 200);

  const rows = await own(person);
  const rest = { slug: expect.any(String), features: [], blockedBy: null, connectionId: null };
  expect(rows).toEqual([
    { id: alpha.id, name: "Alpha", status: "SUSPENDED", roles: ["MEMBER"], current: false, ...rest },
    { id: eclair.id, name: "Éclair", status: "ACTIVE", roles: ["MEMBER"], current: false, ...rest },
    { id: zeta.id, name: "zeta", status: "ACTIVE", roles: expect.any(Array), current: true, ...rest },
  ]);
  expect(rows[2].roles.sort()).toEqual(["Clerk", "MEMBER"]);

  expectStatus(await admin.delete(`/api/organizations/${alpha.id}`), 204);
  expectStatus(await person.post("/api/organization/leave"), 204);
  expect(await own(person)).toMatchObject([{ id: eclair.id }]);
});

test("platform administrators see their memberships without a current one; a user without memberships gets an empty list", async () => {
  const { admin: founder, id } = await createOrganization(t);
  await t.sql("UPDATE users SET is_platform_admin = true WHERE email = $1", [founder.email]);
  expectStatus(await founder.refresh(), 200);
  expect(await own(founder)).toMatchObject([{ id, roles: ["ORG_ADMIN"], current: false }]);
  expect(await own(await t.person())).toEqual([]);
});

test("a returning member sees the organization again, with only the new roles", async () => {
  const organization = await createOrganization(t);
  const member = await organization.member({ role: "UNIT_ADMIN" });
  expectStatus(await member.post("/api/organization/leave"), 204);
  await organization.add(member, { role: "MEMBER" });
  expect(await own(member)).toMatchObject([{ id: organization.id, roles: ["MEMBER"], current: true }]);
  const path = `/api/members/${await userIdOf(t, member)}/roles`;
  expectStatus(await organization.admin.patch(path, assignments({ role: "ORG_ADMIN" })), 200);
  expect((await own(member))[0].roles).toEqual(["ORG_ADMIN"]);
  expect(await eventsOf(t, "MEMBER_ROLES_CHANGED", await userIdOf(t, member))).toMatchObject([
    { organization_id: organization.id, metadata: { added: [{ roleId: roleId("ORG_ADMIN") }] } },
  ]);
});
