import { expect, test } from "bun:test";
import { counter, countStatements, hasAccount, register } from "../../support/front-door.ts";
import {
  accept,
  acceptNew,
  deleteAccount,
  invited,
  previewInvitation,
  storeAccount,
} from "../../support/invitations.ts";
import { holdEvents } from "../../support/locks.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, type Service, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const oidc = await startOidc();
const DOMAINS = "acme.com,*.acme.org,bücher.example";
const start = (mode: string) =>
  startService({
    ...withProviders(oidc),
    REGISTRATION: mode,
    METRICS_PORT: "0",
    ...(mode === "domains" && { REGISTRATION_DOMAINS: DOMAINS }),
  });
const [domains, invitedOnly, off] = await Promise.all([start("domains"), start("invited"), start("off")]);

const MODES: [string, Service][] = [
  ["domains", domains],
  ["invited", invitedOnly],
  ["off", off],
];
const closed = { statusCode: 403, code: "REGISTRATION_CLOSED", message: "Registration is closed" };
const at = (domain: string) => `${crypto.randomUUID()}@${domain}`;
const signInAs = (t: Service, claims: Record<string, unknown>) =>
  browser(t, oidc).signIn(oidc.person(claims));

test.each(MODES)(
  "with REGISTRATION=%s registering is 403 REGISTRATION_CLOSED for an address outside",
  async (_, t) => {
    const email = uniqueEmail();
    const response = expectStatus(await register(t, email), 403);
    expect(response.body).toMatchObject(closed);
    expect(await hasAccount(t, email)).toBe(false);
    expect(await t.mailTo(email)).toEqual([]);
  },
);

test("with REGISTRATION=domains addresses of these domains register, in any spelling", async () => {
  for (const domain of [
    "acme.com",
    "ACME.com",
    "a.acme.org",
    "b.a.acme.org",
    "bücher.example",
    "xn--bcher-kva.example",
  ])
    expectStatus(await register(domains, at(domain)), 202);
  expectStatus(await register(domains, `tag+${at("acme.com")}`), 202);
  for (const domain of [
    "a.acme.com",
    "acme.org",
    "acme.com.evil.org",
    "notacme.com",
    "a.bücher.example",
    "acme.co",
  ])
    expect([domain, (await register(domains, at(domain))).body.code]).toEqual([domain, closed.code]);
});

test("validation comes before REGISTRATION_CLOSED, and a login, a reset and a verification work in every mode", async () => {
  for (const [, t] of MODES) {
    expect((await register(t, "none", { password: "short" })).body.code).toBe("VALIDATION_FAILED");
    const person = await t.person();
    expectStatus(await person.login(), 200);
    const email = uniqueEmail();
    await storeAccount(t, email, { isVerified: false });
    const token = await resetToken(t, email);
    const body = { token, newPassword: "a longer blue yonder" };
    expectStatus(await t.anonymous().post("/api/auth/reset-password", body), 204);
    expectStatus(await t.anonymous().post("/api/auth/login", { email, password: body.newPassword }), 200);
  }
});

test("invited people create an account in every mode but off, which looks no invitation up; with an account they always join", async () => {
  for (const [mode, t] of MODES) {
    const { admin } = await createOrganization(t);
    const one = await invited(t, admin);
    expectStatus(await previewInvitation(t, one.token), 200);
    const response = await acceptNew(t, one.token);
    expect([mode, response.status]).toEqual([mode, mode === "off" ? 403 : 204]);
    expect(await hasAccount(t, one.email)).toBe(mode !== "off");
    const person = await t.person();
    const other = await invited(t, admin, { email: person.email });
    expectStatus(await accept(person, { token: other.token }), 204);
  }
  const unknown = await acceptNew(off, "no such token");
  expect(unknown.body).toMatchObject(closed);
  const count = await countStatements(off, () => acceptNew(off, "no such token"));
  expect(count).toBe(0);
});

test("a sign-in provider is no side door: a closed registration is #error=REGISTRATION_CLOSED and writes nothing", async () => {
  for (const [, t] of MODES) {
    const email = uniqueEmail();
    const events = () => t.sql("SELECT id FROM audit_events");
    const before = await events();
    expect(await signInAs(t, { email })).toEqual({ error: "REGISTRATION_CLOSED" });
    expect(await hasAccount(t, email)).toBe(false);
    expect(await events()).toEqual(before);
    // An email that has an account gets the same answer, because it is not looked up.
    const taken = await t.person();
    expect(await signInAs(t, { email: taken.email })).toEqual({ error: "REGISTRATION_CLOSED" });
    expect((await signInAs(t, { email_verified: false })).error).toBe("EMAIL_NOT_VERIFIED");
  }
});

test("a known identity signs in whatever the mode is, and an account links one", async () => {
  for (const [, t] of MODES) {
    const person = await t.person();
    const subject = oidc.person();
    expect(Object.keys(await browser(t, oidc, person).link(subject))).toEqual(["linked"]);
    expect(Object.keys(await browser(t, oidc).signIn(subject))).toEqual(["token"]);
  }
});

test("with domains a provider creates accounts of these domains, with invited those of pending invitations", async () => {
  expect(Object.keys(await signInAs(domains, { email: at("acme.com") }))).toEqual(["token"]);
  const { admin } = await createOrganization(invitedOnly);
  const { id, email, token } = await invited(invitedOnly, admin);
  const revoked = await invited(invitedOnly, admin);
  expectStatus(await admin.delete(`/api/members/invitations/${revoked.id}`), 204);
  const expired = await invited(invitedOnly, admin);
  await invitedOnly.age("user_invitations", { id: expired.id }, { days: 8 });
  for (const other of [revoked.email, expired.email])
    expect(await signInAs(invitedOnly, { email: other })).toEqual({ error: "REGISTRATION_CLOSED" });
  const visitor = browser(invitedOnly, oidc);
  expect(Object.keys(await visitor.signIn(oidc.person({ email })))).toEqual(["token"]);
  expectStatus(await accept(visitor.caller, { token }), 204);
  const rows = await invitedOnly.sql("SELECT accepted_at FROM user_invitations WHERE id = $1", [id]);
  expect(rows[0]?.accepted_at).not.toBeNull();
});

test("with invited and off every address gets one response in one time, and nothing is read from the database", async () => {
  for (const t of [invitedOnly, off]) {
    const { admin } = await createOrganization(t);
    const [taken, deleted] = [await t.person(), await t.person()];
    await deleteAccount(t, deleted.email);
    const unverified = uniqueEmail();
    await storeAccount(t, unverified, { isVerified: false });
    const addresses = [
      taken.email,
      uniqueEmail(),
      deleted.email,
      unverified,
      (await invited(t, admin)).email,
    ];
    const shapes = new Set<string>();
    const times: number[][] = addresses.map(() => []);
    const count = await countStatements(t, async () => {
      for (let round = 0; round < 200; round += 1)
        for (const [index, email] of addresses.entries()) {
          const began = performance.now();
          const { status, headers, body } = await register(t, email);
          times[index]?.push(performance.now() - began);
          const { requestId, ...rest } = body;
          shapes.add(JSON.stringify([status, rest, [...headers.keys()].sort()]));
        }
    });
    expect(count).toBe(0);
    expect([...shapes]).toHaveLength(1);
    const medians = times.map((some) => some.toSorted((one, other) => one - other)[100] ?? 0);
    // A hash takes ten times as long as the whole response.
    expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(3);
  }
});

// Fails without the unique index on emails, or if a violation of it is an error.
test("of births of one address by several ways at once one creates the account, whichever comes first", async () => {
  const { admin } = await createOrganization(domains);
  for (let first = 0; first < 3; first += 1) {
    const email = at("acme.com");
    const { token } = await invited(domains, admin, { email });
    const visitor = browser(domains, oidc);
    const callback = await oidc.visit(await visitor.begin(), oidc.person({ email }));
    const ways = [
      async () => outcome(await register(domains, email)),
      async () => outcome(await acceptNew(domains, token)),
      async () =>
        Object.entries(await visitor.finish(callback))
          .map(([key, value]) => (key === "token" ? key : value))
          .join(),
    ];
    // The first one waits before its event, with the account not committed: the others cannot see that.
    const events = await holdEvents(domains);
    const births: Promise<string>[] = [];
    for (let way = first; way < first + 3; way += 1) {
      births.push((ways[way % 3] as () => Promise<string>)());
      await events.waiting(births.length);
    }
    await events.release();
    const expected = ["409 EMAIL_TAKEN", "409 EMAIL_TAKEN", "ACCOUNT_EXISTS"];
    expected[first] = ["202", "204", "token"][first] ?? "";
    expect(await Promise.all(births)).toEqual([...expected.slice(first), ...expected.slice(0, first)]);
    expect(await domains.sql("SELECT FROM users WHERE email = $1", [email])).toHaveLength(1);
  }
});

test("a name of an organization that was stored before counts only while everybody may create one", async () => {
  const closedService = await startService({ ORGANIZATION_CREATION: "platform-admins" });
  const email = uniqueEmail();
  expectStatus(await register(closedService, email), 202);
  await closedService.sql("UPDATE users SET pending_organization_name = 'Acme' WHERE email = $1", [email]);
  const { token } = await closedService.linkTo(email, "/verify-email");
  expectStatus(await closedService.anonymous().post("/api/auth/verify-email", { token }), 204);
  expect(await closedService.sql("SELECT FROM organizations")).toEqual([]);

  const person = await closedService.person();
  const refused = await person.post("/api/auth/organizations", { name: "Acme" });
  expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
  const named = await register(closedService, uniqueEmail(), { organizationName: "Acme" });
  expect([named.status, named.body.errors]).toEqual([
    400,
    [{ path: "organizationName", message: "property organizationName should not exist" }],
  ]);
  const both = await register(closedService, "none", { organizationName: "Acme" });
  expect(both.body.errors.map(({ path }: { path: string }) => path)).toEqual(["email", "organizationName"]);
  const admin = await closedService.platformAdmin();
  const body = { name: "Acme", ownerEmail: uniqueEmail() };
  expectStatus(await admin.post("/api/organizations", body), 201);
});

test("accounts and closed registrations are counted by their way", async () => {
  const before = await counter(domains, "registrations_total");
  expectStatus(await register(domains, at("acme.com")), 202);
  expectStatus(await register(domains, uniqueEmail()), 403);
  const after = await counter(domains, "registrations_total");
  for (const outcome of ["created", "closed"]) {
    const labels = `path=register,outcome=${outcome}`;
    expect((after[labels] ?? 0) - (before[labels] ?? 0)).toBe(1);
  }
});
