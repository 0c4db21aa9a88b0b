import { afterEach, expect, test } from "bun:test";
import { browser } from "../../src/client/dom.ts";
import { Jar, TestPage } from "../support/browser.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";
import { setPolicy } from "../support/sign-on.ts";
import { codeOfStep, currentStep, fromBase32, withTwoFactor } from "../support/two-factor.ts";

const t = await startService();

/** Stubs the browser at this address, for example the callback page; records replaced and left addresses. */
function at(address: string) {
  const { hash, pathname, search } = new URL(address, "http://app.test");
  const shown: string[] = [];
  const kept = new Map<string, string>();
  const left: string[] = [];
  const history = {
    state: { of: "a router" },
    replaceState: (state: unknown, _: string, url: string) => shown.push(`${JSON.stringify(state)} ${url}`),
  };
  const location = { hash, pathname, search, assign: (url: string) => left.push(url) };
  const sessionStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  Object.assign(browser, { location, history, sessionStorage });
  return { shown, left };
}
const WITHOUT_PAGE = { location: undefined, history: undefined, sessionStorage: undefined };
afterEach(() => Object.assign(browser, WITHOUT_PAGE));

test("a sign-in by password starts a session; a wrong password is an error and does not change the session", async () => {
  const person = await t.person();
  const tab = new Jar(t.url).tab();
  await tab.refresh();
  const failure = await tab.signIn({ email: person.email, password: "not this one" }).catch((error) => error);
  expect([failure.code, failure.status, tab.session.get().status]).toEqual([
    "INVALID_CREDENTIALS",
    401,
    "signed-out",
  ]);
  expect(await tab.signIn(person.account)).toEqual({ status: "signed-in" });
  expect(tab.session.get()).toMatchObject({
    status: "signed-in",
    organization: null,
    isPlatformAdmin: false,
  });
});

test("with a second factor, `signIn` returns a challenge instead of a session", async () => {
  const { person, code, recoveryCodes } = await withTwoFactor(t);
  const jar = new Jar(t.url);
  const tab = jar.tab();
  await tab.refresh();
  for (const factor of [{ code: code() }, { recoveryCode: recoveryCodes[0] ?? "" }]) {
    const outcome = await tab.signIn(person.account);
    if (outcome.status !== "two-factor") throw new Error("No challenge");
    expect(tab.session.get().status).toBe("signed-out");
    const { challengeToken } = outcome;
    const wrong = await tab.verifyTwoFactor({ challengeToken, code: "000000" }).catch((error) => error.code);
    expect(wrong).toBe("INVALID_TWO_FACTOR_CODE");
    await tab.verifyTwoFactor({ challengeToken, ...factor });
    expect(tab.session.get().status).toBe("signed-in");
    await tab.signOut();
    // A 401 of an expired challenge does not trigger a refresh.
    const late = await tab.verifyTwoFactor({ challengeToken, code: "000000" }).catch((error) => error.code);
    expect(late).toBe("UNAUTHENTICATED");
  }
  expect(jar.count("POST /api/auth/refresh")).toBe(1);
});

test("an account that must set up its second factor can do so, and continues after a refresh", async () => {
  const strict = await startService({ REQUIRE_TWO_FACTOR: "all" });
  const person = await strict.person();
  const tab = new Jar(strict.url).tab();
  await tab.signIn(person.account);
  expect(tab.session.get()).toMatchObject({ status: "signed-in", mustEnableTwoFactor: true });
  const refused = await tab.request("GET /api/notifications").catch((error) => error.code);
  expect(refused).toBe("TWO_FACTOR_REQUIRED");
  const { password } = person.account;
  const { secret } = await tab.request("POST /api/profile/2fa/setup", { body: { password } });
  const code = codeOfStep(fromBase32(secret), currentStep());
  await tab.request("POST /api/profile/2fa/enable", { body: { code } });
  await tab.refresh();
  expect(tab.session.get()).toMatchObject({ status: "signed-in", mustEnableTwoFactor: false });
  await tab.request("GET /api/notifications");
});

test("`completeSignIn` reads the result of a third-party sign-in, and removes it from the address", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  jar.cookie = person.cookie;
  const tab = jar.tab();
  const { shown, left } = at(`/auth/callback?next=1#token=${person.accessToken}`);
  tab.signInWithProvider("google");
  expect(left).toEqual([`${t.url}/api/auth/oidc/google`]);
  expect(tab.completeSignIn()).toEqual({ status: "signed-in" });
  expect(shown).toEqual(['{"of":"a router"} /auth/callback?next=1']);
  expect(tab.session.get().status).toBe("signed-in");
  await tab.request("GET /api/profile");
  // The token of the address is used; no refresh was sent.
  expect(jar.sent).toEqual(["GET /api/profile 200"]);
});

test("`completeSignIn` also returns a challenge, a linked identity or an error", () => {
  const tab = new Jar(t.url).tab();
  const read = (fragment: string) => {
    at(`/auth/callback${fragment}`);
    tab.signInWithProvider("google");
    return tab.completeSignIn();
  };
  expect(read("#challenge=abc&methods=code,passkey")).toEqual({
    status: "two-factor",
    challengeToken: "abc",
    methods: ["code", "passkey"],
  });
  expect(read("#reauthenticated=google")).toEqual({ status: "reauthenticated", provider: "google" });
  expect(read("#linked=google")).toEqual({ status: "linked", provider: "google" });
  expect(read("#error=ACCOUNT_EXISTS")).toEqual({ status: "error", code: "ACCOUNT_EXISTS" });
  for (const other of ["", "#", "#chapter-2", "#access_token=x"]) expect(read(other)).toBeNull();
});

test("`completeSignIn` accepts a token or challenge once, if this tab began the sign-in in the last ten minutes", async () => {
  const person = await t.person();
  const page = new TestPage();
  const tab = new Jar(t.url).tab({ page, heard: false });
  await tab.refresh();
  const token = person.accessToken;
  for (const fragment of [
    `#token=${token}`,
    `#&token=${token}`,
    `#%74oken=${token}`,
    "#challenge=abc",
    "#&challenge=abc",
  ]) {
    const { shown } = at(`/auth/callback${fragment}`);
    expect([fragment, tab.completeSignIn()]).toEqual([fragment, null]);
    expect(shown).toEqual(['{"of":"a router"} /auth/callback']);
  }
  at(`/auth/callback#token=${token}`);
  tab.signInWithProvider("google");
  await page.pass(601);
  expect(tab.completeSignIn()).toBeNull();
  tab.signInWithProvider("google");
  expect(tab.completeSignIn()).toEqual({ status: "signed-in" });
  expect(tab.completeSignIn()).toBeNull();
});

test("`completeSignIn` returns the result of linking an identity in every tab, because it changes no session", () => {
  const tab = new Jar(t.url).tab();
  at("/auth/callback#linked=google");
  expect(tab.completeSignIn()).toEqual({ status: "linked", provider: "google" });
});

test("`completeSignIn` leaves other fragments in the address", () => {
  const { shown } = at("/docs#chapter=2");
  expect(new Jar(t.url).tab().completeSignIn()).toBeNull();
  expect(shown).toEqual([]);
});

test("`switchOrganization` changes the session's organization; a refused switch changes nothing", async () => {
  const { id, admin } = await createOrganization(t);
  const other = await createOrganization(t);
  const jar = new Jar(t.url);
  const tab = jar.tab();
  await tab.signIn(admin.account);
  const foreign = await tab.switchOrganization(other.id).catch((error) => error.code);
  expect([foreign, organizationOf(tab)]).toEqual(["NOT_A_MEMBER", id]);
  await other.add(admin, { role: "MEMBER" });
  await tab.switchOrganization(other.id);
  expect(organizationOf(tab)).toBe(other.id);
  expect((await tab.request("GET /api/organization")).id).toBe(other.id);
  await tab.refresh();
  expect(organizationOf(tab)).toBe(other.id);
});

test("a switch with a replaced cookie, as after a lost response, fails and does not end the user's sessions", async () => {
  const { id, admin } = await createOrganization(t);
  const jar = new Jar(t.url);
  const tab = jar.tab();
  await tab.signIn(admin.account);
  const before = jar.cookie;
  await tab.refresh();
  jar.cookie = before;
  expect(await tab.switchOrganization(id).catch((error) => error.code)).toBe("INVALID_REFRESH_TOKEN");
  expect(tab.session.get().status).toBe("signed-in");
  expect(await t.sql("SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED'")).toEqual([]);
});

test("signing out ends the session, even with an expired token", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  const tab = jar.tab();
  await tab.signIn(person.account);
  let isSpoilt = false;
  jar.through((url, init) => {
    const headers = new Headers(init.headers);
    if (url.endsWith("/logout") && !isSpoilt) headers.set("authorization", "Bearer expired");
    isSpoilt ||= url.endsWith("/logout");
    return jar.fetch(url, { ...init, headers });
  });
  await tab.signOut();
  expect([tab.session.get().status, jar.cookie]).toEqual(["signed-out", null]);
  expect(jar.sent.slice(-3)).toEqual([
    "POST /api/auth/logout 401",
    "POST /api/auth/refresh 200",
    "POST /api/auth/logout 204",
  ]);
});

test("a sign-out that gets no response keeps the session", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  const tab = jar.tab();
  await tab.signIn(person.account);
  jar.through(() => Promise.reject(new TypeError("fetch failed")));
  expect(await tab.signOut().catch((error) => error.code)).toBe("NETWORK_ERROR");
  expect(tab.session.get().status).toBe("signed-in");
});

const organizationOf = (tab: ReturnType<Jar["tab"]>) => {
  const session = tab.session.get();
  return session.status === "signed-in" ? session.organization?.id : undefined;
};

test("a session without an organization reports the organizations in which it may not act, once", async () => {
  const organization = await createOrganization(t, "Acme");
  const member = await organization.member();
  await setPolicy(t, organization, { two_factor: true });
  const jar = new Jar(t.url);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const tab = jar.tab({ onBlocked: resolve });
  await tab.signIn(member.account);
  expect(await promise).toMatchObject({ name: "Acme", blockedBy: "TWO_FACTOR_REQUIRED" });
  await tab.refresh();
  await jar.responded();
  expect(jar.count("GET /api/auth/organizations")).toBe(1);
});
