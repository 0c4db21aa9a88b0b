import { expect, test } from "bun:test";
import { claimsOf } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { typesOf } from "../../support/notifications.ts";
import { assignments, createOrganization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { SIGN_ON, setStatus } from "../../support/sign-on.ts";
import {
  addDomain,
  browserAt,
  connect,
  mapGroup,
  personOf,
  signedInBy,
  somebody,
} from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";

const provider = await SsoProvider.start();
const t = await startService(SIGN_ON);

const connected = async (settings: Parameters<typeof connect>[3] = {}, at = provider) =>
  connect(t, await createOrganization(t), at, settings);
const accountsOf = (email: string) => t.sql<{ id: string }>("SELECT id FROM users WHERE email = $1", [email]);
const identities = (connectionId: string) =>
  t.sql<{ user_id: string; subject: string; email: string; groups: string[] }>(
    "SELECT * FROM sso_identities WHERE connection_id = $1",
    [connectionId],
  );
const lastError = async (id: string) =>
  (await t.sql("SELECT last_error_code FROM sso_connections WHERE id = $1", [id]))[0]?.last_error_code;
const reasons = async ({ organization }: Awaited<ReturnType<typeof connected>>) =>
  (await eventsIn(t, organization, "SSO_SIGN_IN_FAILED")).map(({ metadata }) => metadata.reason);

test("just in time, an unknown person gets an account, a membership with the default assignments, and a confined session", async () => {
  const acme = await connected();
  const unit = await acme.organization.unit("Sales");
  await t.sql(
    "INSERT INTO sso_connection_assignments (connection_id, organization_id, role_id, unit_id) VALUES ($1, $2, $3, $4)",
    [acme.id, acme.organization.id, roleId("MEMBER"), unit],
  );
  const grace = somebody(acme);
  const { caller } = await signedInBy(t, acme, grace);
  expect(claims(caller)).toMatchObject({
    organization: { id: acme.organization.id },
    confined: true,
    acr: "1",
    amr: [],
  });
  const profile = (await caller.get("/api/profile")).body;
  expect(profile).toMatchObject({ email: grace.email, firstName: "Grace", lastName: "Hopper" });
  const member = (await acme.organization.admin.get(`/api/members/${profile.id}`)).body;
  expect(member.assignments).toEqual([
    { role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: { id: unit, name: "Sales" }, source: "sso" },
  ]);
  expect(member.units).toEqual([{ id: unit, name: "Sales" }]);
  const [provisioned] = await eventsIn(t, acme.organization, "USER_PROVISIONED");
  expect(provisioned).toMatchObject({
    actor_id: profile.id,
    target_id: profile.id,
    metadata: { via: "sso", connectionId: acme.id, roles: ["MEMBER"] },
  });
  expect(await identities(acme.id)).toMatchObject([{ subject: grace.sub, email: grace.email }]);

  const again = await signedInBy(t, acme, { ...grace, email: `other@${acme.domain}`, given_name: "Other" });
  expect(claims(again.caller).sub).toBe(profile.id);
  expect((await again.caller.get("/api/profile")).body).toMatchObject({
    email: grace.email,
    firstName: "Grace",
  });
});

test("without just-in-time provisioning an unknown person is NOT_A_MEMBER, and nothing is written", async () => {
  const acme = await connected({ provisioning: "none" });
  const grace = somebody(acme);
  expect(await browserAt(t, acme).signIn(grace)).toEqual({ error: "NOT_A_MEMBER" });
  expect([await accountsOf(grace.email), await identities(acme.id)]).toEqual([[], []]);
  expect([await reasons(acme), await lastError(acme.id)]).toEqual([["not_a_member"], "NOT_A_MEMBER"]);
});

test("an invited person comes in with the roles of the invitation, which is then accepted, whatever the provisioning", async () => {
  const acme = await connected({ provisioning: "none" });
  const grace = somebody(acme);
  const invited = { email: grace.email, ...assignments({ role: "UNIT_ADMIN" }) };
  expectStatus(await acme.organization.admin.post("/api/members/invitations", invited), 201);
  const { token } = await t.linkTo(grace.email, "/accept-invitation");
  const { caller } = await signedInBy(t, acme, grace);
  const { sub } = claims(caller);
  const member = (await acme.organization.admin.get(`/api/members/${sub}`)).body;
  expect(
    member.assignments.map(({ role, source }: { role: { name: string }; source: string }) => [
      role.name,
      source,
    ]),
  ).toEqual([["UNIT_ADMIN", "manual"]]);
  expect(await eventsIn(t, acme.organization, "USER_INVITATION_ACCEPTED")).toHaveLength(1);
  expect(outcome(await t.anonymous().get(`/api/auth/invitation?token=${token}`))).toBe(
    "400 INVALID_OR_EXPIRED_TOKEN",
  );
});

test("an address counts if the provider says true or nothing about it; anything else is EMAIL_NOT_VERIFIED", async () => {
  const acme = await connected();
  for (const email_verified of [false, "true", null, 1, "false"]) {
    const person = somebody(acme, { email_verified });
    expect([email_verified, await browserAt(t, acme).signIn(person)]).toEqual([
      email_verified,
      { error: "EMAIL_NOT_VERIFIED" },
    ]);
    expect(await accountsOf(person.email)).toEqual([]);
  }
  expect(await lastError(acme.id)).toBe("EMAIL_NOT_VERIFIED");
  for (const claim of [{ email_verified: true }, {}]) await signedInBy(t, acme, somebody(acme, claim));
  const nameless = somebody(acme, { email: undefined });
  provider.userinfo = { sub: nameless.sub };
  expect(await browserAt(t, acme).signIn(nameless as never)).toEqual({ error: "EMAIL_NOT_VERIFIED" });
  provider.userinfo = null;
  expect(await lastError(acme.id)).toBe("EMAIL_MISSING");
});

test("with another claim for the address, what the provider says of `email` does not matter", async () => {
  const acme = await connected({ claims: { email: "upn" } });
  const person = somebody(acme, { email_verified: false });
  await signedInBy(t, acme, { ...person, upn: person.email });
});

test("an address outside, in a sub-domain, in a lapsed or pending domain or in a similar one is DOMAIN_MISMATCH", async () => {
  const acme = await connected();
  const names = { LAPSED: "lapsed", PENDING: "pending" };
  for (const [status, label] of Object.entries(names))
    await addDomain(t, acme.organization, `${label}.${acme.domain}`, acme.id, status);
  const other = await connected();
  const domains = [
    "example.org",
    `a.${acme.domain}`,
    `lapsed.${acme.domain}`,
    `pending.${acme.domain}`,
    `${acme.domain}.evil.test`,
    acme.domain.replace("example", "exampIe").replace("I", "l1"),
    other.domain,
  ];
  for (const domain of domains) {
    const person = somebody({ domain });
    expect([domain, await browserAt(t, acme).signIn(person)]).toEqual([domain, { error: "DOMAIN_MISMATCH" }]);
    expect(await accountsOf(person.email)).toEqual([]);
  }
  expect(await identities(acme.id)).toEqual([]);
});

test("an existing account is linked and told by mail; its password works as before, and the session is confined", async () => {
  const acme = await connected();
  const person = await personOf(t, acme);
  const { caller } = await signedInBy(t, acme, somebody(acme, { email: person.email }));
  expect(claims(caller)).toMatchObject({ sub: idOf(person), confined: true });
  const mails = await t.mailTo(person.email);
  expect(mails.at(-1)?.subject).toBe("You can now sign in with Acme");
  expect(await typesOf(person)).toContain("SIGN_IN_METHOD_ADDED");
  await inAnotherBrowser(person);
  const added = await t.sql(
    "SELECT metadata FROM audit_events WHERE action = 'SIGN_IN_METHOD_ADDED' AND target_id = $1",
    [idOf(person)],
  );
  expect(added[0]?.metadata).toEqual({ provider: "sso", connectionId: acme.id });
});

test("the provider of one organization reaches it alone, also for people of another, and changes no last used organization", async () => {
  const [acme, evil] = [await connected(), await connected()];
  const person = await personOf(t, acme);
  await acme.organization.add(person, { role: "ORG_ADMIN" });
  expectStatus(await person.post("/api/auth/organization", { organizationId: acme.organization.id }), 200);
  expect(await browserAt(t, evil).signIn(somebody(evil, { email: person.email }))).toEqual({
    error: "DOMAIN_MISMATCH",
  });

  await addDomain(t, evil.organization, `also.${acme.domain}`, evil.id);
  const reached = await personOf(t, { ...acme, domain: `also.${acme.domain}` });
  await acme.organization.add(reached, { role: "ORG_ADMIN" });
  expectStatus(await reached.post("/api/auth/organization", { organizationId: acme.organization.id }), 200);
  const { caller } = await signedInBy(t, evil, somebody(evil, { email: reached.email }));
  expect(claims(caller)).toMatchObject({ sub: idOf(reached), organization: { id: evil.organization.id } });
  expect((await caller.get("/api/auth/organizations")).body.map(({ id }: { id: string }) => id)).toEqual([
    evil.organization.id,
  ]);
  expect(claims(await inAnotherBrowser(reached)).organization.id).toBe(acme.organization.id);
});

test("a subject is looked up in its connection alone", async () => {
  const [acme, other] = [await connected(), await connected()];
  const grace = somebody(acme);
  const { sub } = claims((await signedInBy(t, acme, grace)).caller);
  const elsewhere = somebody(other, { sub: grace.sub });
  expect(claims((await signedInBy(t, other, elsewhere)).caller).sub).not.toBe(sub);
  const own = await t.person();
  await t.sql(
    "INSERT INTO user_identities (user_id, provider, issuer, subject, email) VALUES ($1, 'acme', $2, $3, $4)",
    [idOf(own), provider.issuer, "shared-subject", own.email],
  );
  const third = somebody(acme, { sub: "shared-subject" });
  expect(claims((await signedInBy(t, acme, third)).caller).sub).not.toBe(idOf(own));
});

test("a platform administrator is ACCOUNT_NOT_ALLOWED: unknown, known, and promoted later", async () => {
  const acme = await connected();
  const [admin, later] = [await personOf(t, acme), await personOf(t, acme)];
  const promote = (person: typeof admin) =>
    t.sql("UPDATE users SET is_platform_admin = true WHERE id = $1", [idOf(person)]);
  await promote(admin);
  expect(await browserAt(t, acme).signIn(somebody(acme, { email: admin.email }))).toEqual({
    error: "ACCOUNT_NOT_ALLOWED",
  });
  const known = somebody(acme, { email: later.email });
  await signedInBy(t, acme, known);
  await promote(later);
  expect(await browserAt(t, acme).signIn(known)).toEqual({ error: "ACCOUNT_NOT_ALLOWED" });
});

test("an account that nobody ever verified is emptied, verified and linked: its password and its links are dead", async () => {
  const acme = await connected();
  const email = uniqueEmail().replace(/@.*$/, `@${acme.domain}`);
  const squatter = await t.unverifiedPerson({ email });
  const { token } = await t.linkTo(email, "/verify-email");
  const { caller } = await signedInBy(t, acme, somebody(acme, { email }));
  expect(outcome(await squatter.login())).toBe("401 INVALID_CREDENTIALS");
  expect(outcome(await squatter.post("/api/auth/verify-email", { token }))).toBe(
    "400 INVALID_OR_EXPIRED_TOKEN",
  );
  expect((await caller.get("/api/profile")).body.email).toBe(email);
  const actions = await t.sql<{ action: string }>(
    "SELECT action FROM audit_events WHERE target_id = $1 ORDER BY id",
    [claims(caller).sub],
  );
  expect(actions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["EMAIL_VERIFIED", "SIGN_IN_METHOD_ADDED", "USER_PROVISIONED"]),
  );
});

test("a deleted account's and a former address are EMAIL_UNAVAILABLE; another subject with a linked address is IDENTITY_IN_USE", async () => {
  const acme = await connected();
  const [deleted, moved] = [await personOf(t, acme), await personOf(t, acme)];
  expectStatus(await (await t.platformAdmin()).delete(`/api/users/${idOf(deleted)}`), 204);
  await t.sql("UPDATE users SET email = $2 WHERE id = $1", [idOf(moved), uniqueEmail()]);
  await t.sql("UPDATE account_emails SET used_until = now() WHERE email = $1", [moved.email]);
  for (const { email } of [deleted, moved])
    expect(await browserAt(t, acme).signIn(somebody(acme, { email }))).toEqual({
      error: "EMAIL_UNAVAILABLE",
    });

  const grace = somebody(acme);
  await signedInBy(t, acme, grace);
  const successor = { ...grace, sub: "somebody-else" };
  expect(await browserAt(t, acme).signIn(successor)).toEqual({ error: "IDENTITY_IN_USE" });
  await t.sql("DELETE FROM sso_identities WHERE connection_id = $1", [acme.id]);
  await signedInBy(t, acme, successor);
});

test("whoever was removed comes in by a new invitation alone; whoever left comes in just in time", async () => {
  const acme = await connected();
  const { admin } = acme.organization;
  const [left, removed] = [somebody(acme), somebody(acme)];
  const idsOf = async (person: typeof left) => (await accountsOf(person.email))[0]?.id ?? "";
  const leaving = await signedInBy(t, acme, left);
  await signedInBy(t, acme, removed);
  expectStatus(await leaving.caller.post("/api/organization/leave"), 204);
  expectStatus(await admin.delete(`/api/members/${await idsOf(removed)}`), 204);
  expect(await identities(acme.id)).toEqual([]);

  await signedInBy(t, acme, left);
  expect(await browserAt(t, acme).signIn(removed)).toEqual({ error: "NOT_A_MEMBER" });
  const invited = { email: removed.email, ...assignments({ role: "MEMBER" }) };
  expectStatus(await admin.post("/api/members/invitations", invited), 201);
  await signedInBy(t, acme, removed);
});

test("a membership from before its end was recorded counts as removed", async () => {
  const acme = await connected();
  const grace = somebody(acme);
  const { sub } = claims((await signedInBy(t, acme, grace)).caller);
  await t.sql("UPDATE memberships SET is_deleted = true, deleted_at = now() WHERE user_id = $1", [sub]);
  expect(await browserAt(t, acme).signIn(grace)).toEqual({ error: "NOT_A_MEMBER" });
});

test("a sign-in by a connection of a suspended organization is ORGANIZATION_SUSPENDED", async () => {
  const acme = await connected();
  await setStatus(t, acme.organization, "SUSPENDED");
  expect(await browserAt(t, acme).signIn(somebody(acme))).toEqual({ error: "ORGANIZATION_SUSPENDED" });
});

test("with the live session of the same account the proof joins it: same session, own proof kept, new cookie", async () => {
  const acme = await connected();
  const person = await personOf(t, acme);
  const { sid } = claims(person);
  const { cookie } = person;
  const { caller } = await signedInBy(t, acme, somebody(acme, { email: person.email }), person);
  expect(claims(caller)).toMatchObject({ sid, organization: { id: acme.organization.id }, amr: ["pwd"] });
  expect(claims(caller).confined).toBeUndefined();
  expect(caller.cookie).not.toBe(cookie);
  expectStatus(await caller.refresh(), 200);
  const [event] = await t.sql(
    "SELECT metadata FROM audit_events WHERE action = 'LOGIN_SUCCEEDED' AND actor_id = $1 ORDER BY id DESC LIMIT 1",
    [idOf(person)],
  );
  expect(event?.metadata).toEqual({ amr: [], connectionId: acme.id });
});

test("the live session of another account in the browser ends", async () => {
  const acme = await connected();
  const other = await t.person();
  const browser = browserAt(t, acme, other);
  const [before, id] = [other.cookie, idOf(other)];
  const { token } = await browser.signIn(somebody(acme));
  expect(claimsOf(token ?? "").sub).not.toBe(id);
  other.cookie = before;
  expect(outcome(await other.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
});

test("groups give roles at a place; without the group the role goes, and the link and roles by hand stay", async () => {
  const acme = await connected();
  const unit = await acme.organization.unit("Sales");
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"), unit);
  const grace = somebody(acme);
  const { sub } = claims((await signedInBy(t, acme, { ...grace, groups: ["sellers", "others"] })).caller);
  const shown = async () => {
    const { body } = await acme.organization.admin.get(`/api/members/${sub}`);
    return [
      body.assignments.map(
        (one: { role: { name: string }; source: string }) => `${one.role.name} ${one.source}`,
      ),
      body.units.map(({ name }: { name: string }) => name),
    ];
  };
  expect(await shown()).toEqual([["UNIT_ADMIN sso"], ["Sales"]]);
  const byHand = assignments({ role: "MEMBER" });
  expectStatus(await acme.organization.admin.patch(`/api/members/${sub}/roles`, byHand), 200);
  await signedInBy(t, acme, { ...grace, groups: "sellers" });
  expect(await shown()).toEqual([["MEMBER manual", "UNIT_ADMIN sso"], ["Sales"]]);
  await signedInBy(t, acme, { ...grace, groups: [] });
  expect(await shown()).toEqual([["MEMBER manual"], ["Sales"]]);
  const changes = await eventsIn(t, acme.organization, "MEMBER_ROLES_CHANGED");
  expect(changes.filter(({ metadata }) => metadata.via === "sso")).toMatchObject([
    {
      actor_id: sub,
      target_id: sub,
      metadata: { added: [], removed: [{ roleName: "UNIT_ADMIN", unitName: "Sales" }] },
    },
  ]);
});

/* A provider that stands in for Google: the service calls it instead, and its answers name Google as their issuer. */
const GOOGLE = "https://accounts.google.com";
async function startGoogle(): Promise<SsoProvider> {
  const google = await SsoProvider.start();
  const metadata = await (await fetch(`${google.issuer}/.well-known/openid-configuration`)).text();
  google.instead = (path) =>
    path.startsWith("/.well-known/") ? new Response(metadata.replaceAll(google.issuer, GOOGLE)) : null;
  google.claims = (claims) => ({ ...claims, iss: GOOGLE });
  google.responseIssuer = GOOGLE;
  const app = t.running.app as { callProvider: (typeof t.running.app)["callProvider"] };
  const { callProvider } = app;
  app.callProvider = (input, options) => callProvider(String(input).replace(GOOGLE, google.issuer), options);
  return google;
}

test("people of Google come in only by an account that a verified domain of the organization manages, also if they are known", async () => {
  const acme = await connected({ issuer: GOOGLE }, await startGoogle());
  const [more, pending, foreign] = ["more", "pending", "foreign"].map((name) => `${name}.${acme.domain}`);
  await addDomain(t, acme.organization, more ?? "");
  await addDomain(t, acme.organization, pending ?? "", null, "PENDING");
  await addDomain(t, await createOrganization(t), foreign ?? "");
  const come = (told: ReturnType<typeof somebody>) => browserAt(t, acme).signIn(told);
  const unmanaged = [undefined, "", true, [acme.domain], `x.${acme.domain}`, pending, foreign, "gmail.com"];

  const known = somebody(acme);
  await signedInBy(t, acme, { ...known, hd: acme.domain });
  await signedInBy(t, acme, { ...known, hd: more?.toUpperCase() });
  for (const hd of unmanaged) {
    const stranger = somebody(acme);
    for (const told of [known, stranger])
      expect([hd, await come({ ...told, hd })]).toEqual([hd, { error: "DOMAIN_MISMATCH" }]);
    expect(await t.sql("SELECT FROM users WHERE email = $1", [stranger.email])).toEqual([]);
  }
  expect(await reasons(acme)).toEqual(Array(2 * unmanaged.length).fill("domain_mismatch"));
});

test("the claim of Google means nothing at another provider", async () => {
  const acme = await connected();
  await signedInBy(t, acme, somebody(acme, { hd: "elsewhere.example.com" }));
});
