import { expect, test } from "bun:test";
import { policyJobs } from "../../../src/features/sign-on-policy/jobs.ts";
import { exactlyOne } from "../../../src/platform/db/prepared-query.ts";
import { withPasskey } from "../../support/authenticator.ts";
import type { Caller } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { until } from "../../support/cluster.ts";
import { passTest } from "../../support/connections.ts";
import { acceptAs, invite, resend } from "../../support/invitations.ts";
import { holdOrganizationLock, inLine } from "../../support/locks.ts";
import { typesOf } from "../../support/notifications.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { eventsIn, idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import {
  addBreakGlass,
  confine,
  proveBy,
  setConnection,
  setDomains,
  setPolicy,
  setStatus,
} from "../../support/sign-on.ts";
import { POLICY, readyOrganization } from "../../support/sign-on-policy.ts";
import { verify, withTwoFactor } from "../../support/two-factor.ts";

const t = await sharedService();
const SWITCH = "/api/auth/organization";
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const policyOf = async (person: Caller) => expectStatus(await person.get(POLICY), 200).body;
const active = (person: Caller) => claims(person).organization?.id ?? null;

test("in a suspended organization a member may turn the policy off, and change nothing else", async () => {
  const organization = await createOrganization(t);
  const { id, admin } = organization;
  await setPolicy(t, organization, { hours: 24 });
  await t.sql(
    "UPDATE sign_on_policies SET announced_scope = 'domains', announced_two_factor = false, enforce_from = $2 WHERE organization_id = $1",
    [id, inDays(3)],
  );
  await setStatus(t, organization, "SUSPENDED");
  for (const body of [{ scope: "off", maxSessionHours: null }, { maxSessionHours: null }])
    expect((await admin.patch(POLICY, body)).body.code).toBe("ORGANIZATION_SUSPENDED");
  expectStatus(await admin.patch(POLICY, { scope: "off" }), 200);
  const [stored] = await t.sql(
    "SELECT announced_scope, max_session_hours FROM sign_on_policies WHERE organization_id = $1",
    [id],
  );
  expect(stored).toEqual({ announced_scope: null, max_session_hours: 24 });
});

test("by default nobody is bound and nothing is asked", async () => {
  const { admin } = await createOrganization(t);
  expect(await policyOf(admin)).toEqual({
    ...{ scope: "off", requireTwoFactor: false, announced: null, maxSessionHours: null },
    ...{ reauthenticationMinutes: null, breakGlass: [], version: 0, updatedAt: null },
  });
});

test("a wider scope is announced for seven days ahead, and holds from its time on; what is looser holds at once and drops it", async () => {
  const { organization, admin } = await readyOrganization(t);
  const member = await organization.member();
  const given = { scope: "everyone", breakGlassUserIds: [idOf(admin)] };
  const { body } = expectStatus(await admin.patch(POLICY, given), 200);
  expect(body).toMatchObject({
    ...{ scope: "off", announced: { scope: "everyone", requireTwoFactor: false }, version: 1 },
    breakGlass: [{ userId: idOf(admin), usable: true }],
  });
  const days = (Date.parse(body.announced.enforceFrom) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  await member.refresh();
  expect(active(member)).toBe(organization.id);

  await t.sql(
    "UPDATE sign_on_policies SET enforce_from = now() - interval '1 second' WHERE organization_id = $1",
    [organization.id],
  );
  expect(await policyOf(admin)).toMatchObject({ scope: "everyone", announced: null });
  await member.refresh();
  expect(active(member)).toBeNull();
  await admin.refresh();
  expect(active(admin)).toBe(organization.id);

  expect(expectStatus(await admin.patch(POLICY, { scope: "off" }), 200).body).toMatchObject({
    ...{ scope: "off", announced: null },
  });
  await member.refresh();
  expect(active(member)).toBe(organization.id);
});

test("a later announcement replaces an earlier one, and a time within a minute is now", async () => {
  const { admin } = await readyOrganization(t);
  const first = { scope: "everyone", breakGlassUserIds: [idOf(admin)], enforceFrom: inDays(30) };
  expectStatus(await admin.patch(POLICY, first), 200);
  const later = expectStatus(
    await admin.patch(POLICY, { scope: "domains", enforceFrom: inDays(2) }),
    200,
  ).body;
  expect(later.announced.scope).toBe("domains");
  const now = { scope: "domains", enforceFrom: new Date(Date.now() - 30_000).toISOString() };
  expect(expectStatus(await admin.patch(POLICY, now), 200).body).toMatchObject({
    scope: "domains",
    announced: null,
  });
});

test("what is only looser drops all that is announced, and moving the time drops nothing", async () => {
  const { organization, admin } = await readyOrganization(t);
  const there = { headers: { "x-organization-id": organization.id } };
  const both = {
    ...{ scope: "everyone", requireTwoFactor: true, enforceFrom: inDays(30) },
    breakGlassUserIds: [idOf(admin)],
  };
  const held = { scope: "off", requireTwoFactor: false, announced: null };
  for (const looser of [{ scope: "off" }, { requireTwoFactor: false }]) {
    expectStatus(await admin.patch(POLICY, both), 200);
    expect(expectStatus(await admin.patch(POLICY, looser), 200).body).toMatchObject(held);
  }
  expectStatus(await admin.patch(POLICY, both), 200);
  const enforceFrom = new Date(Date.now() + 3 * 86_400_000).toISOString();
  expect(expectStatus(await admin.patch(POLICY, { enforceFrom }), 200).body.announced).toEqual({
    ...{ scope: "everyone", requireTwoFactor: true, enforceFrom },
  });
  const platform = await t.platformAdmin();
  expect(expectStatus(await platform.patch(POLICY, { scope: "off" }, there), 200).body).toMatchObject(held);
});

test("the time of an announcement is in the future and within 90 days", async () => {
  const { admin } = await readyOrganization(t);
  const violation = async (enforceFrom: string) =>
    (await admin.patch(POLICY, { requireTwoFactor: true, enforceFrom })).body.errors;
  expect(await violation(inDays(-1))).toEqual([
    { path: "enforceFrom", message: "enforceFrom must be in the future" },
  ]);
  expect(await violation(inDays(91))).toEqual([
    { path: "enforceFrom", message: "enforceFrom must be within 90 days" },
  ]);
});

test("a scope needs a connection that the caller tested, a verified domain with it, and usable break-glass members with the caller among them", async () => {
  const { organization, admin, connectionId, rewind, code } = await readyOrganization(t);
  const plain = await organization.member({ role: "ORG_ADMIN" });
  const given = { scope: "domains", breakGlassUserIds: [idOf(admin)] };
  const codeOf = async (body: object) => {
    const response = await admin.patch(POLICY, body);
    return [response.status, response.body.code];
  };
  await t.sql("UPDATE sso_tests SET passed_at = now() - interval '25 hours' WHERE connection_id = $1", [
    connectionId,
  ]);
  expect(await codeOf(given)).toEqual([409, "CONNECTION_NOT_TESTED"]);
  await passTest(t, connectionId, plain);
  expect(await codeOf(given)).toEqual([409, "CONNECTION_NOT_TESTED"]);
  await passTest(t, connectionId, admin);
  await setConnection(t, connectionId, "tested_version = tested_version + 1");
  expect(await codeOf(given)).toEqual([409, "CONNECTION_NOT_TESTED"]);
  await passTest(t, connectionId, admin);
  await setDomains(t, organization, "LAPSED");
  expect(await codeOf(given)).toEqual([409, "DOMAIN_NOT_VERIFIED"]);
  await setDomains(t, organization, "VERIFIED");
  expect(await codeOf({ scope: "domains" })).toEqual([409, "BREAK_GLASS_REQUIRED"]);
  expect(await codeOf({ ...given, breakGlassUserIds: [idOf(plain)] })).toEqual([409, "BREAK_GLASS_REQUIRED"]);
  expect(await codeOf({ ...given, breakGlassUserIds: [idOf(admin), idOf(plain)] })).toEqual([
    ...[409, "BREAK_GLASS_REQUIRED"],
  ]);
  expect(await codeOf({ ...given, breakGlassUserIds: [crypto.randomUUID()] })).toEqual([
    400,
    "VALIDATION_FAILED",
  ]);
  await t.sql("UPDATE session_proofs SET factors = 1 WHERE user_id = $1", [idOf(admin)]);
  expect(await codeOf(given)).toEqual([409, "BREAK_GLASS_REQUIRED"]);
  expect(await codeOf({ requireTwoFactor: true })).toEqual([409, "CONFLICT"]);
  expect(await policyOf(admin)).toMatchObject({ version: 0, breakGlass: [] });
  await rewind();
  const shown = { password: admin.account.password, code: code() };
  expectStatus(await admin.post("/api/profile/reauthenticate", shown), 204);
  expectStatus(await admin.patch(POLICY, given), 200);
});

test("only members with the permission change the policy, platform administrators only turn the scope off, API keys none", async () => {
  const { organization, admin } = await readyOrganization(t);
  const role = await organization.role("Security", "SingleSignOn.Read", "SingleSignOn.Update");
  const officer = await organization.member({ role });
  expect((await officer.patch(POLICY, { breakGlassUserIds: [idOf(admin)] })).body.code).toBe("FORBIDDEN");
  expectStatus(await officer.patch(POLICY, { maxSessionHours: 12 }), 200);
  expect((await (await organization.member()).patch(POLICY, { maxSessionHours: 1 })).status).toBe(403);
  const platform = await t.platformAdmin();
  const there = { headers: { "x-organization-id": organization.id } };
  expect((await platform.patch(POLICY, { scope: "off", maxSessionHours: 1 }, there)).body.code).toBe(
    "FORBIDDEN",
  );
  expect((await platform.patch(POLICY, { maxSessionHours: 1 }, there)).body.code).toBe("FORBIDDEN");
  expectStatus(await admin.patch(POLICY, { scope: "domains", breakGlassUserIds: [idOf(admin)] }), 200);
  expect(expectStatus(await platform.patch(POLICY, { scope: "off" }, there), 200).body.announced).toBeNull();
});

test("of two changes with one version, one holds", async () => {
  const { organization, admin } = await readyOrganization(t);
  const lock = await holdOrganizationLock(t, organization.id);
  const [one, other] = await inLine(
    lock,
    () => admin.patch(POLICY, { maxSessionHours: 10, version: 0 }),
    () => admin.patch(POLICY, { maxSessionHours: 20, version: 0 }),
  );
  expect([one?.status, other?.status, other?.body.code]).toEqual([200, 409, "CONFLICT"]);
  expect(await policyOf(admin)).toMatchObject({ maxSessionHours: 10, version: 1 });
});

/** Requires single sign-on of everybody but these people. */
const requireOfAllBut = async (organization: Organization, ...people: Caller[]) => {
  await addBreakGlass(t, organization, ...people);
  await setPolicy(t, organization, { scope: "everyone" });
};
const usesOf = (organization: Organization) => eventsIn(t, organization, "BREAK_GLASS_USED");

test("the last usable break-glass member is not taken off the list, demoted or removed, and cannot leave or delete the account", async () => {
  const { organization, admin } = await readyOrganization(t);
  const other = await organization.member({ role: "ORG_ADMIN" });
  await requireOfAllBut(organization, admin);
  await proveBy(t, other, await connectionOf(organization));
  expect((await admin.patch(POLICY, { breakGlassUserIds: [] })).body.code).toBe("BREAK_GLASS_REQUIRED");
  const roles = assignments({ role: "MEMBER" });
  expect((await other.patch(`/api/members/${idOf(admin)}/roles`, roles)).body.code).toBe(
    "BREAK_GLASS_REQUIRED",
  );
  expect((await other.delete(`/api/members/${idOf(admin)}`)).body.code).toBe("BREAK_GLASS_REQUIRED");
  expect((await admin.post("/api/organization/leave")).body.code).toBe("BREAK_GLASS_REQUIRED");
  expectStatus(await admin.patch(POLICY, { scope: "off" }), 200);
  expectStatus(await admin.post("/api/organization/leave"), 204);
});
const connectionOf = async ({ id }: Organization) =>
  exactlyOne(await t.sql<{ id: string }>("SELECT id FROM sso_connections WHERE organization_id = $1", [id]))
    .id;

test("of the last two break-glass members who leave at once, one stays", async () => {
  const { organization, admin } = await readyOrganization(t);
  const { person: second } = await withTwoFactor(t);
  await organization.add(second, { role: "ORG_ADMIN" });
  expectStatus(await second.post(SWITCH, { organizationId: organization.id }), 200);
  await organization.member({ role: "ORG_ADMIN" });
  await requireOfAllBut(organization, admin, second);
  const left = await Promise.all([admin, second].map((one) => one.post("/api/organization/leave")));
  expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);
});

test("a break-glass member who acts without single sign-on is told of once a session, to the others by mail", async () => {
  const { organization, admin, code, rewind } = await readyOrganization(t);
  const other = await organization.member({ role: "ORG_ADMIN" });
  await requireOfAllBut(organization, admin);
  await admin.refresh();
  await admin.refresh();
  expect((await usesOf(organization)).map(({ metadata }) => metadata)).toEqual([
    { sessionId: claims(admin).sid },
  ]);
  const subjects = async () => (await t.mailTo(other.email)).map(({ subject }) => subject);
  await until(async () =>
    (await subjects()).some((one) => one.startsWith("A break-glass member")) ? true : null,
  );
  const again = admin.at(admin.url);
  again.cookie = null;
  const { challengeToken } = (await again.login()).body;
  await rewind();
  expectStatus(await verify(again, { challengeToken, code: code() }), 200);
  expect(active(again)).toBe(organization.id);
  expect(await usesOf(organization)).toHaveLength(2);
});

test("a break-glass member who uses two sessions in turn is told of once for each", async () => {
  const { organization, admin, code, rewind } = await readyOrganization(t);
  const other = admin.at(admin.url);
  other.cookie = null;
  const { challengeToken } = (await other.login()).body;
  expectStatus(await verify(other, { challengeToken, code: code() }), 200);
  await rewind();
  await requireOfAllBut(organization, admin);
  for (const session of [admin, other, admin, other]) {
    expectStatus(await session.refresh(), 200);
    expect(active(session)).toBe(organization.id);
  }
  expect(await usesOf(organization)).toHaveLength(2);
});

test("a break-glass member who became a platform administrator is not usable", async () => {
  const { organization, admin } = await readyOrganization(t);
  const { person: second } = await withTwoFactor(t);
  await organization.add(second, { role: "ORG_ADMIN" });
  const given = { scope: "everyone", breakGlassUserIds: [idOf(admin), idOf(second)] };
  expectStatus(await admin.patch(POLICY, given), 200);
  await t.sql("UPDATE users SET is_platform_admin = true WHERE id = $1", [idOf(second)]);
  expect((await policyOf(admin)).breakGlass).toContainEqual({
    ...{ userId: idOf(second), email: second.email, usable: false },
  });
  expect((await admin.post("/api/organization/leave")).body.code).toBe("BREAK_GLASS_REQUIRED");
});

test("a break-glass member who left and comes back is none any more", async () => {
  const { organization, admin } = await readyOrganization(t);
  const { person: second } = await withTwoFactor(t);
  await organization.add(second, { role: "ORG_ADMIN" });
  await organization.member({ role: "ORG_ADMIN" });
  const given = { scope: "everyone", breakGlassUserIds: [idOf(admin), idOf(second)], enforceFrom: inDays(0) };
  expectStatus(await admin.patch(POLICY, given), 200);
  expectStatus(await second.refresh(), 200);
  expect(active(second)).toBe(organization.id);
  expectStatus(await second.post("/api/organization/leave"), 204);
  await organization.add(second, { role: "MEMBER" });
  const refused = await second.post(SWITCH, { organizationId: organization.id });
  expect(refused.body.code).toBe("SSO_REQUIRED");
  expect((await policyOf(admin)).breakGlass).toMatchObject([{ userId: idOf(admin) }]);
});

test("the other administrators are told when a break-glass member loses the last passkey, by whomever", async () => {
  const { organization, admin } = await readyOrganization(t);
  const { person: second } = await withPasskey(await t.person());
  await organization.add(second, { role: "ORG_ADMIN" });
  const given = { scope: "everyone", breakGlassUserIds: [idOf(admin), idOf(second)] };
  expectStatus(await admin.patch(POLICY, given), 200);
  const platform = await t.platformAdmin();
  expectStatus(await platform.delete(`/api/users/${idOf(second)}/passkeys`), 204);
  expect(await typesOf(admin)).toContain("BREAK_GLASS_UNUSABLE");
});

test("the reminder of an announcement waits for the organization without holding its policy", async () => {
  const { organization, admin } = await readyOrganization(t);
  const member = await organization.member();
  const given = { scope: "everyone", breakGlassUserIds: [idOf(admin)], enforceFrom: inDays(0.5) };
  expectStatus(await admin.patch(POLICY, given), 200);
  const lock = await holdOrganizationLock(t, organization.id);
  const job = policyJobs[0]?.run(t.running, {} as never);
  await lock.waiting(1);
  await t.sql("SELECT FROM sign_on_policies WHERE organization_id = $1 FOR UPDATE NOWAIT", [organization.id]);
  await lock.release();
  await job;
  await policyJobs[0]?.run(t.running, {} as never);
  expect((await typesOf(member)).filter((type) => type === "SIGN_ON_ANNOUNCED")).toHaveLength(1);
});

test("members who could not act are listed with what they lack, and are told when a change is announced", async () => {
  const { organization, admin, connectionId, domain } = await readyOrganization(t);
  const [linked, outside] = [await organization.member(), await organization.member()];
  const inside = await organization.member();
  await t.sql("UPDATE users SET email = $2 WHERE id = $1", [idOf(inside), `ada@${domain}`]);
  await t.sql("INSERT INTO account_emails (email, user_id) VALUES ($2, $1)", [idOf(inside), `ada@${domain}`]);
  await proveBy(t, linked, connectionId);
  const affected = async (query: string) =>
    expectStatus(await admin.get(`${POLICY}/affected${query}`), 200).body;
  await addBreakGlass(t, organization, admin);
  const everyone = await affected("?scope=everyone");
  expect(everyone.total).toBe(2);
  const reasons = new Map(
    everyone.data.map((row: { userId: string; reasons: string[] }) => [row.userId, row.reasons]),
  );
  expect(reasons.get(idOf(outside))).toEqual(["outside-domains"]);
  expect(reasons.get(idOf(inside))).toEqual(["no-identity"]);
  expect((await affected("?scope=domains")).data).toMatchObject([{ userId: idOf(inside) }]);
  expect((await affected("?scope=everyone&reason=outside-domains")).data).toMatchObject([
    { userId: idOf(outside) },
  ]);
  expect((await affected("?requireTwoFactor=true")).total).toBe(3);
  expect((await affected("")).total).toBe(0);

  expectStatus(await admin.patch(POLICY, { scope: "everyone", breakGlassUserIds: [idOf(admin)] }), 200);
  expect((await affected("")).total).toBe(2);
  const told = async (person: Caller) =>
    (await person.get("/api/notifications")).body.data.filter(
      ({ type }: { type: string }) => type === "SIGN_ON_ANNOUNCED",
    );
  expect(await told(outside)).toMatchObject([
    { data: { scope: "everyone", reasons: ["outside-domains"], connectionId } },
  ]);
  expect(await told(linked)).toEqual([]);
});

/** Adds members who have no identity, and who never sign in here. */
const addMany = (organizationId: string, count: number) =>
  t.sql(
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language)
       SELECT 'many-' || gen_random_uuid() || '@import.example', 'A', 'B', 'EN' FROM generate_series(1, $2::int) RETURNING id)
     INSERT INTO memberships (organization_id, user_id) SELECT $1, id FROM people`,
    [organizationId, count],
  );
const announcementsIn = async (organizationId: string) =>
  (
    await t.sql<{ count: number; people: number }>(
      `SELECT count(*)::int AS count, count(DISTINCT user_id)::int AS people FROM notifications
       WHERE type = 'SIGN_ON_ANNOUNCED' AND data ->> 'organizationId' = $1`,
      [organizationId],
    )
  )[0];

test("of a large organization jobs tell the members beyond the first hundred, unless something else was announced", async () => {
  const [large, changing] = [await readyOrganization(t), await readyOrganization(t)];
  for (const { organization, admin } of [large, changing]) {
    await addMany(organization.id, 230);
    const everyone = { scope: "everyone", breakGlassUserIds: [idOf(admin)] };
    expectStatus(await admin.patch(POLICY, everyone), 200);
    expect(await announcementsIn(organization.id)).toEqual({ count: 100, people: 100 });
  }
  expectStatus(await changing.admin.patch(POLICY, { scope: "off" }), 200);
  await t.drain();
  expect(await announcementsIn(large.organization.id)).toEqual({ count: 230, people: 230 });
  expect(await announcementsIn(changing.organization.id)).toEqual({ count: 100, people: 100 });
});

test("members of several organizations are listed once, as they are in this one", async () => {
  const [{ organization, admin }, other] = [await readyOrganization(t), await readyOrganization(t)];
  const person = await organization.member();
  await other.organization.add(person, { role: "MEMBER" });
  const query = `${POLICY}/affected?scope=everyone&sort=email&search=${encodeURIComponent(person.account.email)}`;
  const { data, total } = expectStatus(await admin.get(query), 200).body;
  expect([total, data.map(({ userId }: { userId: string }) => userId)]).toEqual([1, [idOf(person)]]);
});

test("nobody invites an address that the scope `everyone` shuts out, from its announcement on", async () => {
  const { organization, admin, domain } = await readyOrganization(t);
  const person = await t.person();
  const { id } = expectStatus(await invite(admin, { email: person.email }), 201).body;
  const { token } = await t.linkTo(person.email, "/accept-invitation");
  expectStatus(await admin.patch(POLICY, { scope: "everyone", breakGlassUserIds: [idOf(admin)] }), 200);
  const refused = await invite(admin);
  expect(refused.body.code).toBe("SSO_REQUIRED");
  expect((await resend(admin, id)).body.code).toBe("SSO_REQUIRED");
  // An invitation from before may be accepted; the member acts by single sign-on alone.
  await setPolicy(t, organization, { scope: "everyone" });
  expectStatus(await acceptAs(person, token), 204);
  const switched = await person.post(SWITCH, { organizationId: organization.id });
  expect(switched.body.code).toBe("SSO_REQUIRED");
  expectStatus(await invite(admin, { email: `new-${crypto.randomUUID()}@${domain}` }), 201);
});

test("nobody steps out of the scope `domains` by changing the email or by a domain that lapsed", async () => {
  const { organization, admin, domain } = await readyOrganization(t);
  const member = await organization.member();
  await t.sql("INSERT INTO account_emails (email, user_id, used_until) VALUES ($2, $1, now())", [
    idOf(member),
    `before-${crypto.randomUUID()}@${domain}`,
  ]);
  await setPolicy(t, organization, { scope: "domains" });
  await setDomains(t, organization, "LAPSED");
  await member.refresh();
  expect(active(member)).toBeNull();
  const guest = await organization.member();
  await guest.refresh();
  expect(active(guest)).toBe(organization.id);
  expect(admin.email).not.toEndWith(domain);
});

test("an organization's own minutes ask for a younger proof before writes of authority there, by the account or by its connection", async () => {
  const { organization, admin, connectionId } = await readyOrganization(t);
  await setPolicy(t, organization, { minutes: 5 });
  const old = () =>
    t.sql("UPDATE session_proofs SET proved_at = now() - interval '6 minutes' WHERE user_id = $1", [
      idOf(admin),
    ]);
  await old();
  await admin.refresh();
  const create = () => admin.post("/api/roles", { name: crypto.randomUUID(), permissions: [] });
  const refused = await create();
  expect(refused.body).toMatchObject({ code: "REAUTHENTICATION_REQUIRED", details: { maxAgeSeconds: 300 } });
  expectStatus(await admin.get("/api/roles"), 200);
  await proveBy(t, admin, connectionId);
  expectStatus(await create(), 201);
  await proveBy(t, admin, connectionId, { minutesAgo: 6 });
  const again = await create();
  expect(again.body.details.methods).toContain(`connection:${connectionId}`);
  await t.sql(
    "UPDATE session_proofs SET proved_at = now() - interval '11 minutes' WHERE user_id = $1 AND kind <> 'sso'",
    [idOf(admin)],
  );
  await proveBy(t, admin, connectionId);
  await admin.refresh();
  const credentials = await admin.patch(POLICY, { maxSessionHours: 5 });
  expect(credentials.body).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
  expect(credentials.body.details.methods).not.toContain(`connection:${connectionId}`);
});

test("a confined session changes no policy", async () => {
  const { organization, connectionId } = await readyOrganization(t);
  const admin = await organization.member({ role: "ORG_ADMIN" });
  await confine(t, admin, connectionId);
  await admin.refresh();
  expect((await admin.patch(POLICY, { maxSessionHours: 5 })).body.code).toBe("REAUTHENTICATION_REQUIRED");
});
