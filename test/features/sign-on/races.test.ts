import { expect, test } from "bun:test";
import { type ApiResponse, Caller, claimsOf } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { until } from "../../support/cluster.ts";
import {
  holdEmailLock,
  holdEvents,
  holdOrganizationLock,
  holdUserLock,
  inLine,
} from "../../support/locks.ts";
import { assignments, createOrganization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { planFiles } from "../../support/plans.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { SIGN_ON } from "../../support/sign-on.ts";
import { browserAt, connect, mapGroup, personOf, signedInBy, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

/* Each race is decided by a lock that the test holds until both sides wait for it, in both orders. People come back from the provider
   to another instance than the one that administrators call. */
const provider = await SsoProvider.start();
const plan = { key: "small", limits: { members: 3 }, features: ["sso"], paid: false };
const t = await startService({
  ...SIGN_ON,
  BILLING_PLANS_FILE: planFiles()({ plans: [plan], defaultPlan: "small", trial: null }),
});
const near = await t.beside();
const connected = async (settings: Parameters<typeof connect>[3] = {}) =>
  connect(t, await createOrganization(t), provider, settings);
type Connected = Awaited<ReturnType<typeof connected>>;

/** A browser that comes back from the provider as a person; `finish` requests the callback. */
async function arriving(acme: Connected, told = somebody(acme)) {
  const browser = browserAt(t, acme, new Caller(near.url));
  const back = provider.visit(await browser.begin(), told);
  return { told, browser, finish: () => browser.finish(back) };
}
const accounts = (email: string) => t.sql<{ id: string }>("SELECT id FROM users WHERE email = $1", [email]);

test("two first sign-ins of one person at once make one account, one identity and one membership, and both sign in", async () => {
  const acme = await connected();
  const told = somebody(acme);
  const sides = [await arriving(acme, told), await arriving(acme, told), await arriving(acme, told)];
  const lock = await holdOrganizationLock(t, acme.organization.id);
  const outcomes = await inLine(lock, ...sides.map(({ finish }) => finish));
  const subjects = outcomes.map((one) => claimsOf((one as { token: string }).token).sub);
  expect(new Set(subjects).size).toBe(1);
  expect(await accounts(told.email)).toHaveLength(1);
  expect(await t.sql("SELECT FROM sso_identities WHERE connection_id = $1", [acme.id])).toHaveLength(1);
  expect(await eventsIn(t, acme.organization, "USER_PROVISIONED")).toHaveLength(1);
});

test("of ten people at once at the last seat one enters, and the others are PLAN_LIMIT_REACHED without account or membership", async () => {
  const acme = await connected();
  await acme.organization.member();
  const sides = await Promise.all(Array.from({ length: 10 }, () => arriving(acme)));
  const outcomes = await Promise.all(sides.map(({ finish }) => finish()));
  expect(outcomes.filter(({ token }) => token !== undefined)).toHaveLength(1);
  expect(outcomes.filter(({ error }) => error === "PLAN_LIMIT_REACHED")).toHaveLength(9);
  const made = await t.sql("SELECT FROM users WHERE email = ANY ($1::text[])", [
    `{${sides.map(({ told }) => told.email).join()}}`,
  ]);
  expect(made).toHaveLength(1);
});

test("removal against sign-in: removed first is NOT_A_MEMBER; signed in first, the session in the organization ends with the removal", async () => {
  for (const isRemovedFirst of [true, false]) {
    const acme = await connected();
    const told = somebody(acme);
    const { caller } = await signedInBy(t, acme, told);
    const remove = () => acme.organization.admin.delete(`/api/members/${claims(caller).sub}`);
    const { finish, browser } = await arriving(acme, told);
    const lock = await holdOrganizationLock(t, acme.organization.id);
    const sides = isRemovedFirst ? [remove, finish] : [finish, remove];
    const [first, second] = await inLine<unknown>(lock, ...sides);
    if (isRemovedFirst) expect(second).toEqual({ error: "NOT_A_MEMBER" });
    else {
      expect(Object.keys(first as object)).toEqual(["token"]);
      expect(outcome(await browser.caller.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
    }
    for (const table of ["sso_identities", "session_proofs"])
      expect(await t.sql(`SELECT FROM ${table} WHERE connection_id = $1`, [acme.id])).toEqual([]);
  }
});

// Fails without the second look at the connection, or with one before the lock.
test("disabling, changing or deleting a connection against a callback: SSO_DISABLED, or a session whose next token is not for the organization", async () => {
  const CHANGES: Record<string, (admin: Caller, path: string) => Promise<ApiResponse>> = {
    disable: (admin, path) => admin.patch(path, { status: "DISABLED" }),
    delete: (admin, path) => admin.delete(path),
    change: (admin, path) => admin.patch(path, { oidc: { scopes: "openid" } }),
  };
  for (const [what, call] of Object.entries(CHANGES))
    for (const isChangedFirst of [true, false]) {
      const acme = await connected();
      const { finish, browser } = await arriving(acme);
      const change = () => call(acme.organization.admin, `/api/organization/connections/${acme.id}`);
      const lock = await holdOrganizationLock(t, acme.organization.id);
      const sides = isChangedFirst ? [change, finish] : [finish, change];
      const results = await inLine<unknown>(lock, ...sides);
      const [changed, came] = isChangedFirst ? results : results.toReversed();
      expect((changed as ApiResponse).status).toBe(what === "delete" ? 204 : 200);
      if (isChangedFirst) expect([what, came]).toEqual([what, { error: "SSO_DISABLED" }]);
      else {
        expectStatus(await browser.caller.refresh(), 200);
        // Other scopes change nothing for those who have signed in.
        const id = what === "change" ? acme.organization.id : undefined;
        expect([what, claims(browser.caller).organization?.id]).toEqual([what, id]);
      }
    }
});

// Fails if the domain is looked up before the lock, or removed without it.
test("a domain that is removed against a callback: DOMAIN_MISMATCH, or linked before", async () => {
  for (const isRemovedFirst of [true, false]) {
    const acme = await connected();
    const { finish, told } = await arriving(acme);
    const { admin } = acme.organization;
    const { data } = expectStatus(await admin.get("/api/organization/domains"), 200).body;
    const remove = () => admin.delete(`/api/organization/domains/${data[0].id}`);
    const lock = await holdOrganizationLock(t, acme.organization.id);
    const results = await inLine<unknown>(lock, ...(isRemovedFirst ? [remove, finish] : [finish, remove]));
    const [removed, came] = isRemovedFirst ? results : results.toReversed();
    expect((removed as ApiResponse).status).toBe(204);
    if (isRemovedFirst) expect(came).toEqual({ error: "DOMAIN_MISMATCH" });
    else expect(Object.keys(came as object)).toEqual(["token"]);
    expect(await accounts(told.email)).toHaveLength(isRemovedFirst ? 0 : 1);
  }
});

test("an invitation that is accepted by its link against a sign-in: one membership, accepted once", async () => {
  for (const isLinkFirst of [true, false]) {
    const acme = await connected();
    const person = await personOf(t, acme);
    const invited = { email: person.email, ...assignments({ role: "UNIT_ADMIN" }) };
    expectStatus(await acme.organization.admin.post("/api/members/invitations", invited), 201);
    const { token } = await t.linkTo(person.email, "/accept-invitation");
    const { finish } = await arriving(acme, somebody(acme, { email: person.email }));
    const accept = async () => outcome(await person.post("/api/auth/accept-invitation", { token }));
    const lock = await holdOrganizationLock(t, acme.organization.id);
    const results = await inLine<unknown>(lock, ...(isLinkFirst ? [accept, finish] : [finish, accept]));
    const [accepted, signedIn] = isLinkFirst ? results : [results[1], results[0]];
    expect(accepted).toBe(isLinkFirst ? "204" : "400 INVALID_OR_EXPIRED_TOKEN");
    expect(Object.keys(signedIn as object)).toEqual(["token"]);
    expect(await eventsIn(t, acme.organization, "USER_INVITATION_ACCEPTED")).toHaveLength(1);
    const { body } = await acme.organization.admin.get(`/api/members/${idOf(person)}`);
    expect(body.assignments).toHaveLength(1);
  }
});

test("a registration of the address while a sign-in waits for it: the account is emptied and linked", async () => {
  const acme = await connected();
  const { finish, told } = await arriving(acme);
  const register = () =>
    t.anonymous().post("/api/auth/register", {
      email: told.email,
      password: "wide blue yonder",
      firstName: "Eve",
      lastName: "Squatter",
    });
  const lock = await holdEmailLock(t, told.email);
  const finished = finish();
  await lock.waiting(1);
  expectStatus(await register(), 202);
  await lock.release();
  const { token } = await finished;
  expect(claimsOf(token ?? "").organization.id).toBe(acme.organization.id);
  const login = { email: told.email, password: "wide blue yonder" };
  expect(outcome(await t.anonymous().post("/api/auth/login", login))).toBe("401 INVALID_CREDENTIALS");
});

// Fails if the account that appears before the insert is not looked up anew.
test("a registration between the look at the address and the new account: the account is emptied and linked, or the registration is EMAIL_TAKEN", async () => {
  for (const isRegisteredFirst of [true, false]) {
    const acme = await connected();
    const { finish, told } = await arriving(acme);
    const body = { email: told.email, password: "wide blue yonder", firstName: "Eve", lastName: "Squatter" };
    const register = async () => outcome(await t.anonymous().post("/api/auth/register", body));
    // The first one waits before its event, with the account not committed: the other cannot see that.
    const lock = await holdEvents(t);
    const sides = isRegisteredFirst ? [register, finish] : [finish, register];
    const results = await inLine<unknown>(lock, ...sides);
    const [registered, came] = isRegisteredFirst ? results : results.toReversed();
    expect(registered).toBe(isRegisteredFirst ? "202" : "409 EMAIL_TAKEN");
    expect(Object.keys(came as object)).toEqual(["token"]);
    expect(await accounts(told.email)).toHaveLength(1);
    const login = { email: told.email, password: body.password };
    expect(outcome(await t.anonymous().post("/api/auth/login", login))).toBe("401 INVALID_CREDENTIALS");
  }
});

// Fails if the account that appears meanwhile is emptied without its lock.
test("an account that is registered while a sign-in ends another session is locked before it is emptied", async () => {
  const acme = await connected();
  const { finish, told, browser } = await arriving(acme);
  const other = await t.person();
  browser.caller.cookie = other.cookie;
  const lock = await holdUserLock(t, other.email);
  const finished = finish();
  await lock.waiting(1);
  const body = { email: told.email, password: "wide blue yonder", firstName: "Eve", lastName: "Squatter" };
  expectStatus(await t.anonymous().post("/api/auth/register", body), 202);
  const lockOfNew = await holdUserLock(t, told.email);
  await lock.release();
  await lockOfNew.waiting(1);
  await lockOfNew.release();
  expect(Object.keys(await finished)).toEqual(["token"]);
});

test("a verification of the address while a sign-in waits for the account links it with its password", async () => {
  const acme = await connected();
  const email = uniqueEmail().replace(/@.*$/, `@${acme.domain}`);
  const person = await t.unverifiedPerson({ email });
  const { token } = await t.linkTo(email, "/verify-email");
  const { finish } = await arriving(acme, somebody(acme, { email }));
  const lock = await holdUserLock(t, email);
  const [verified, signedIn] = await inLine<unknown>(
    lock,
    async () => outcome(await person.post("/api/auth/verify-email", { token })),
    finish,
  );
  expect(verified).toBe("204");
  expect(Object.keys(signedIn as object)).toEqual(["token"]);
  expectStatus(await person.login(), 200);
});

test("the deletion of the account against a sign-in: EMAIL_UNAVAILABLE, or the session ends with it", async () => {
  for (const isDeletedFirst of [true, false]) {
    const acme = await connected();
    const person = await personOf(t, acme);
    const admin = await t.platformAdmin();
    const { finish, browser } = await arriving(acme, somebody(acme, { email: person.email }));
    const remove = async () => outcome(await admin.delete(`/api/users/${idOf(person)}`));
    const userLock = await holdUserLock(t, person.email);
    const sides = isDeletedFirst ? [remove, finish] : [finish, remove];
    const results = await inLine<unknown>(userLock, ...sides);
    if (isDeletedFirst) expect(results).toEqual(["204", { error: "EMAIL_UNAVAILABLE" }]);
    else {
      expect(results[1]).toBe("204");
      expect(outcome(await browser.caller.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
      expect(await t.sql("SELECT FROM sso_identities WHERE user_id = $1", [idOf(person)])).toEqual([]);
    }
  }
});

// Fails if what the groups give is looked up before the lock, or if a deletion takes nothing away.
test("a mapping that is deleted against a sign-in: afterwards nobody has its role", async () => {
  for (const isDeletedFirst of [true, false]) {
    const acme = await connected();
    const mapping = await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"));
    const { finish, told } = await arriving(acme, somebody(acme, { groups: ["sellers"] }));
    const { admin } = acme.organization;
    const remove = async () => outcome(await admin.delete(`/api/organization/mappings/${mapping}`));
    const lock = await holdOrganizationLock(t, acme.organization.id);
    const results = await inLine<unknown>(lock, ...(isDeletedFirst ? [remove, finish] : [finish, remove]));
    expect(results[isDeletedFirst ? 0 : 1]).toBe("204");
    const [{ id } = { id: "" }] = await accounts(told.email);
    const { body } = await admin.get(`/api/members/${id}`);
    expect(body.assignments.map(({ role }: { role: { name: string } }) => role.name)).toEqual(["MEMBER"]);
  }
});

test("two people of a connection with one address: one is linked, the other is IDENTITY_IN_USE", async () => {
  const acme = await connected();
  const first = somebody(acme);
  const sides = [await arriving(acme, first), await arriving(acme, { ...first, sub: "another" })];
  const lock = await holdOrganizationLock(t, acme.organization.id);
  const outcomes = await inLine<Record<string, string>>(lock, ...sides.map(({ finish }) => finish));
  expect(outcomes.map(({ error = "signed in" }) => error)).toEqual(["signed in", "IDENTITY_IN_USE"]);
});

test("a challenge that is completed twice at once signs in once", async () => {
  const acme = await connected();
  const factor = await withTwoFactor(t, await personOf(t, acme));
  const browser = browserAt(t, acme);
  const { challenge } = await browser.signIn(somebody(acme, { email: factor.person.email }));
  const body = (recoveryCode?: string) => ({ challengeToken: challenge, recoveryCode });
  const verify = (code?: string) => async () =>
    outcome(await t.anonymous().post("/api/auth/2fa/verify", body(code)));
  const lock = await holdUserLock(t, factor.person.email);
  const first = verify(factor.recoveryCodes[0])();
  await lock.waiting(1);
  const second = verify(factor.recoveryCodes[1])();
  // The second one waits for the organization, which the first one has locked.
  await until(async () =>
    (
      await t.sql(
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      )
    ).length >= 2
      ? true
      : null,
  );
  await lock.release();
  expect(await Promise.all([first, second])).toEqual(["200", "401 UNAUTHENTICATED"]);
});
