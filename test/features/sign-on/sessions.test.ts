import { expect, test } from "bun:test";
import { withPasskey } from "../../support/authenticator.ts";
import { claims } from "../../support/claims.ts";
import { countStatements } from "../../support/front-door.ts";
import { holdUserLock } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import {
  addBreakGlass,
  confine,
  insertConnection,
  proveBy,
  setConnection,
  setPolicy,
} from "../../support/sign-on.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

const t = await sharedService();
const SWITCH = "/api/auth/organization";
const OWN = "/api/auth/organizations";

/** A member of two organizations: the first has a connection. */
async function memberOfTwo() {
  const [acme, other] = [await createOrganization(t), await createOrganization(t)];
  const connectionId = await insertConnection(t, acme);
  const person = await acme.member();
  await other.add(person, { role: "MEMBER" });
  await person.refresh();
  return { acme, other, person, connectionId };
}
const active = (person: Parameters<typeof claims>[0]) => claims(person).organization?.id ?? null;

test("a session that was only proven by a connection acts in its organization alone, and says so", async () => {
  const { acme, other, person, connectionId } = await memberOfTwo();
  await t.sql("UPDATE users SET last_organization_id = $2 WHERE id = $1", [idOf(person), other.id]);
  await confine(t, person, connectionId);
  expectStatus(await person.refresh(), 200);
  expect(active(person)).toBe(acme.id);
  expect(claims(person)).toMatchObject({ confined: true, acr: "1", amr: [] });
  expect((await person.get(OWN)).body.map(({ id }: { id: string }) => id)).toEqual([acme.id]);

  const refused = await person.post(SWITCH, { organizationId: other.id });
  expectStatus(refused, 403);
  expect(refused.body).toMatchObject({
    code: "REAUTHENTICATION_REQUIRED",
    details: { methods: ["password"], maxAgeSeconds: null },
  });
  const { requestId: _, ...body } = refused.body;
  for (const organizationId of [(await createOrganization(t)).id, crypto.randomUUID()]) {
    const { requestId: _, ...again } = (await person.post(SWITCH, { organizationId })).body;
    expect(again).toEqual(body);
  }
});

test("a proof of the account's own ends the confinement at the next token; the session and its organization stay", async () => {
  const { acme, other, person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId);
  await person.refresh();
  const { sid } = claims(person);
  expectStatus(await person.post("/api/profile/reauthenticate", { password: person.account.password }), 204);
  expectStatus(await person.refresh(), 200);
  expect(claims(person)).toMatchObject({ sid });
  expect(claims(person).confined).toBeUndefined();
  expect(active(person)).toBe(acme.id);
  expectStatus(await person.post(SWITCH, { organizationId: other.id }), 200);
});

test("a proof by a connection counts for SSO_PROOF_HOURS, and no token outlives it", async () => {
  const { acme, person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId, { minutesAgo: 24 * 60 - 5 });
  await person.refresh();
  expect(active(person)).toBe(acme.id);
  expect(claims(person).exp - Date.now() / 1000).toBeLessThan(5 * 60 + 5);

  await proveBy(t, person, connectionId, { minutesAgo: 24 * 60 + 1 });
  await person.refresh();
  expect(active(person)).toBeNull();
  expect(claims(person).confined).toBe(true);
  const refused = await person.post(SWITCH, { organizationId: acme.id });
  expect(refused.body).toMatchObject({ code: "SSO_REQUIRED", details: { connectionId } });
  expect(refused.body.details.url).toEndWith(`/api/auth/sso/${connectionId}`);
});

test("a proof counts no more when its connection is disabled or its identity is removed, also if it is linked anew", async () => {
  const { acme, person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId, { minutesAgo: 10 });
  await setConnection(t, connectionId, "status = 'DISABLED'");
  await person.refresh();
  expect(active(person)).toBeNull();
  await setConnection(t, connectionId, "status = 'ENABLED'");
  await person.refresh();
  expect(active(person)).toBe(acme.id);
  await t.sql("UPDATE sso_identities SET linked_at = now() WHERE connection_id = $1", [connectionId]);
  await person.refresh();
  expect(active(person)).toBeNull();
  await t.sql("DELETE FROM sso_identities WHERE connection_id = $1", [connectionId]);
  await person.refresh();
  expect(active(person)).toBeNull();
});

test("a session that loses its last proof by a connection acts nowhere and stays confined, also in the grace period", async () => {
  const { acme, person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId);
  await person.refresh();
  const replaced = person.at(person.url);
  await person.refresh();
  await t.sql("DELETE FROM session_proofs WHERE connection_id = $1", [connectionId]);
  for (const caller of [replaced, person]) {
    expectStatus(await caller.refresh(), 200);
    expect([active(caller), claims(caller).confined, claims(caller).auth_time]).toEqual([
      ...[null, true, undefined],
    ]);
    expect((await caller.get("/api/profile/passkeys")).body.code).toBe("REAUTHENTICATION_REQUIRED");
  }
  expect((await person.get(OWN)).body).toEqual([]);
  expectStatus(await person.post("/api/profile/reauthenticate", { password: person.account.password }), 204);
  expectStatus(await person.post(SWITCH, { organizationId: acme.id }), 200);
});

test("a confined session lists no other organization with the token that it had, also after its end", async () => {
  const { acme, person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId);
  await person.refresh();
  expectStatus(await person.post("/api/auth/logout"), 204);
  expect((await person.get(OWN)).body.map(({ id }: { id: string }) => id)).toEqual([acme.id]);
});

test("a confined session of a person who became a platform administrator is none of a platform administrator", async () => {
  const { person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId);
  await t.sql("UPDATE users SET is_platform_admin = true WHERE id = $1", [idOf(person)]);
  expectStatus(await person.refresh(), 200);
  expect(claims(person)).toMatchObject({ isPlatformAdmin: false, confined: true, organization: null });
  expect((await person.get("/api/users")).status).toBe(403);
  expectStatus(await person.post("/api/profile/reauthenticate", { password: person.account.password }), 204);
  expectStatus(await person.refresh(), 200);
  expect(claims(person).isPlatformAdmin).toBe(true);
});

test("whoever the policy binds acts in the organization by its connection alone; other organizations are as before", async () => {
  const { acme, other, person, connectionId } = await memberOfTwo();
  await setPolicy(t, acme, { scope: "everyone" });
  const elsewhere = await inAnotherBrowser(person);
  for (const caller of [person, elsewhere]) {
    expectStatus(await caller.refresh(), 200);
    expect(active(caller)).toBe(other.id);
    expect((await caller.post(SWITCH, { organizationId: acme.id })).body.code).toBe("SSO_REQUIRED");
  }
  const rows = (await person.get(OWN)).body;
  expect(rows.find(({ id }: { id: string }) => id === acme.id)).toMatchObject({
    blockedBy: "SSO_REQUIRED",
    connectionId,
  });
  expect(rows.find(({ id }: { id: string }) => id === other.id)).toMatchObject({
    blockedBy: null,
    connectionId: null,
  });

  await proveBy(t, person, connectionId);
  expectStatus(await person.post(SWITCH, { organizationId: acme.id }), 200);
  expect(claims(person).confined).toBeUndefined();

  await addBreakGlass(t, acme, person);
  expectStatus(await elsewhere.post(SWITCH, { organizationId: acme.id }), 200);
});

test("what is announced binds nobody before its time, and everybody from then on", async () => {
  const { acme, other, person } = await memberOfTwo();
  await setPolicy(t, acme);
  const announce = (interval: string) =>
    t.sql(
      `UPDATE sign_on_policies SET announced_scope = 'everyone', announced_two_factor = false, enforce_from = now() + $2::interval
       WHERE organization_id = $1`,
      [acme.id, interval],
    );
  await announce("1 hour");
  await person.refresh();
  expect(active(person)).toBe(acme.id);
  await announce("-1 second");
  await person.refresh();
  expect(active(person)).toBe(other.id);
});

test("a required second factor asks for one in this organization alone", async () => {
  const { person, code } = await withTwoFactor(t);
  const acme = await createOrganization(t);
  await acme.add(person, { role: "MEMBER" });
  const plain = await acme.member();
  await setPolicy(t, acme, { two_factor: true });
  const withoutFactor = await plain.post(SWITCH, { organizationId: acme.id });
  expect(withoutFactor.body).toMatchObject({ code: "TWO_FACTOR_REQUIRED", details: { methods: [] } });
  await plain.refresh();
  expect(active(plain)).toBeNull();
  expect(claims(plain).mustEnableTwoFactor).toBeUndefined();

  const notShown = await person.post(SWITCH, { organizationId: acme.id });
  expect(notShown.body).toMatchObject({
    code: "REAUTHENTICATION_REQUIRED",
    details: { methods: ["password", "code"], maxAgeSeconds: null },
  });
  const proof = { password: person.account.password, code: code() };
  expectStatus(await person.post("/api/profile/reauthenticate", proof), 204);
  expectStatus(await person.post(SWITCH, { organizationId: acme.id }), 200);
});

test("whoever has a passkey as the only second factor is asked for it, not for the password alone", async () => {
  const acme = await createOrganization(t);
  const { person } = await withPasskey(await acme.member());
  const elsewhere = await inAnotherBrowser(person);
  await setPolicy(t, acme, { two_factor: true });
  expect((await elsewhere.post(SWITCH, { organizationId: acme.id })).body).toMatchObject({
    ...{ code: "REAUTHENTICATION_REQUIRED", details: { methods: ["passkey"], maxAgeSeconds: null } },
  });
});

test("a connection whose second factor is trusted proves two factors in its organization, and nothing elsewhere", async () => {
  const { acme, other, person, connectionId } = await memberOfTwo();
  await setPolicy(t, acme, { two_factor: true });
  await proveBy(t, person, connectionId, { factors: 2 });
  await person.refresh();
  expect(claims(person)).toMatchObject({ organization: { id: acme.id }, acr: "2", amr: ["pwd", "mfa"] });
  expectStatus(await person.post(SWITCH, { organizationId: other.id }), 200);
  expect(claims(person)).toMatchObject({ acr: "1", amr: ["pwd"] });
});

test("with a longest session, an older proof of the account's own no longer counts in this organization", async () => {
  const { acme, other, person } = await memberOfTwo();
  await setPolicy(t, acme, { hours: 2 });
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '115 minutes' WHERE user_id = $1", [
    idOf(person),
  ]);
  await person.refresh();
  expect(active(person)).toBe(acme.id);
  expect(claims(person).exp - Date.now() / 1000).toBeLessThan(5 * 60 + 5);
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '3 hours' WHERE user_id = $1", [
    idOf(person),
  ]);
  await person.refresh();
  expect(active(person)).toBe(other.id);
  const refused = await person.post(SWITCH, { organizationId: acme.id });
  expect(refused.body).toMatchObject({ code: "REAUTHENTICATION_REQUIRED", details: { maxAgeSeconds: 7200 } });
  expectStatus(await person.post("/api/profile/reauthenticate", { password: person.account.password }), 204);
  expectStatus(await person.post(SWITCH, { organizationId: acme.id }), 200);
});

test("a token from before the policy reads until it expires, but changes no authority", async () => {
  const acme = await createOrganization(t);
  const connectionId = await insertConnection(t, acme);
  const admin = await acme.member({ role: "ORG_ADMIN" });
  await setPolicy(t, acme, { scope: "everyone" });
  expectStatus(await admin.get("/api/members"), 200);
  const refused = await admin.post("/api/roles", { name: "Guide", permissions: [] });
  expect(refused.body).toMatchObject({ code: "SSO_REQUIRED", details: { connectionId } });
  await proveBy(t, admin, connectionId);
  expectStatus(await admin.post("/api/roles", { name: "Guide", permissions: [] }), 201);
});

test("a refresh of a session with proofs of both kinds is one statement, as without single sign-on", async () => {
  const { acme, other, person, connectionId } = await memberOfTwo();
  const counted: number[] = [];
  for (const organizationId of [other.id, acme.id]) {
    expectStatus(await person.post(SWITCH, { organizationId }), 200);
    counted.push(await countStatements(t, async () => expectStatus(await person.refresh(), 200)));
    await proveBy(t, person, connectionId);
  }
  await setPolicy(t, acme, { scope: "everyone", hours: 1 });
  counted.push(await countStatements(t, async () => expectStatus(await person.refresh(), 200)));
  expect(active(person)).toBe(acme.id);
  expect(counted).toEqual([1, 1, 1]);
});

test("a proof added while a refresh waits for the user's lock is in the token of that refresh", async () => {
  const { acme, person, connectionId } = await memberOfTwo();
  await confine(t, person, connectionId, { minutesAgo: 30 * 60 });
  await person.refresh();
  expect(active(person)).toBeNull();
  const lock = await holdUserLock(t, person.email);
  const refreshed = person.refresh();
  await lock.waiting(1);
  await proveBy(t, person, connectionId);
  await lock.release();
  expectStatus(await refreshed, 200);
  expect(active(person)).toBe(acme.id);
});

test("the previous version opens no organization to whoever has a proof by a connection", async () => {
  const { person, connectionId } = await memberOfTwo();
  const organizations = async () =>
    (
      await t.sql<{ id: string | null }>(
        "SELECT organization_id AS id FROM session_grants($1::uuid, NULL::uuid)",
        [idOf(person)],
      )
    ).map(({ id }) => id);
  expect(await organizations()).toEqual([expect.any(String)]);
  await proveBy(t, person, connectionId);
  expect(await organizations()).toEqual([null]);
});

test("with single sign-on off, a session that was only proven by a connection acts nowhere, and policies have no effect", async () => {
  const off = await startService({ SSO: "off" }, { databaseUrl: t.databaseUrl });
  const acme = await createOrganization(off);
  const connectionId = await insertConnection(off, acme);
  await setPolicy(off, acme, { scope: "everyone", two_factor: true });
  const [bound, confined] = [await acme.member(), await acme.member()];
  await bound.refresh();
  expect(active(bound)).toBe(acme.id);
  await confine(off, confined, connectionId);
  await confined.refresh();
  expect(active(confined)).toBeNull();
  expect(claims(confined).confined).toBe(true);
});
