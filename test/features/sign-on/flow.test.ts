import { expect, test } from "bun:test";
import { LIMITS } from "../../../src/features/sign-on/limits.ts";
import { Caller } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { setConnection, setDomains, setStatus } from "../../support/sign-on.ts";
import { browserAt, connect, personOf, signedInBy, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";

const provider = await SsoProvider.start();
const t = await sharedService();
const connected = async (settings: Parameters<typeof connect>[3] = {}) =>
  connect(t, await createOrganization(t), provider, settings);
const change = (id: string, what: string) => setConnection(t, id, what);

test("a sign-in redirects to the provider with PKCE, state and nonce, and passes an address on; the cookie is for ten minutes", async () => {
  const acme = await connected();
  const browser = browserAt(t, acme);
  const asked = new URL(await browser.begin("?login_hint=ada%40example.com&domain_hint=x&organization=1"))
    .searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    response_type: "code",
    client_id: "service",
    redirect_uri: `http://app.test/api/auth/sso/${acme.id}/callback`,
    code_challenge_method: "S256",
    login_hint: "ada@example.com",
  });
  expect(asked.has("domain_hint")).toBe(false);
  expect(browser.stateHeader).toMatch(/; Path=\/api\/auth\/sso; Max-Age=600; HttpOnly; SameSite=Lax$/);
  expect(new URL(await browser.begin("?login_hint=nobody")).searchParams.has("login_hint")).toBe(false);
});

test("a sign-in that another site begins goes to the page of the connection, without a cookie", async () => {
  const acme = await connected();
  const browser = browserAt(t, acme);
  expect(await browser.begin("", { "sec-fetch-site": "cross-site" })).toBe(`http://app.test/sso/${acme.id}`);
  expect(browser.state).toBeNull();
  for (const site of ["same-origin", "same-site", "none"])
    expect(await browser.begin("", { "sec-fetch-site": site })).toStartWith(provider.issuer);
});

test("unknown, deleted and draft connections, and those of a deleted organization, are 404; disabled ones are SSO_DISABLED", async () => {
  const acme = await connected();
  const paths = (id: string) => [`/api/auth/sso/${id}`, `/api/auth/sso/${id}/callback?state=x&code=y`];
  for (const path of paths(crypto.randomUUID())) expect((await t.anonymous().get(path)).status).toBe(404);
  for (const what of ["status = 'DRAFT'", "status = 'ENABLED', is_deleted = true"]) {
    await change(acme.id, what);
    for (const path of paths(acme.id)) expect((await t.anonymous().get(path)).status).toBe(404);
  }
  await change(acme.id, "is_deleted = false, status = 'DISABLED'");
  for (const path of paths(acme.id))
    expect((await t.anonymous().get(path)).headers.get("location")).toEndWith("#error=SSO_DISABLED");
  await change(acme.id, "status = 'ENABLED'");
  await t.sql("UPDATE organizations SET is_deleted = true WHERE id = $1", [acme.organization.id]);
  for (const path of paths(acme.id)) expect((await t.anonymous().get(path)).status).toBe(404);
});

test("a connection that is disabled, changed or deleted between start and callback is SSO_DISABLED, and the provider is not asked", async () => {
  for (const what of ["status = 'DISABLED'", "tested_version = 2", "is_deleted = true", "status = 'DRAFT'"]) {
    const acme = await connected();
    const browser = browserAt(t, acme);
    const back = provider.visit(await browser.begin(), somebody(acme));
    await change(acme.id, what);
    const before = provider.calls.length;
    expect([what, await browser.finish(back)]).toEqual([what, { error: "SSO_DISABLED" }]);
    expect(provider.calls.slice(before)).toEqual([]);
    expect(browser.state).toBeNull();
  }
});

test("a connection that is disabled or changed while the provider answers is SSO_DISABLED, and nothing is written", async () => {
  for (const what of ["status = 'DISABLED'", "tested_version = 2", "is_deleted = true"]) {
    const acme = await connected();
    const browser = browserAt(t, acme);
    const back = provider.visit(await browser.begin(), somebody(acme));
    provider.claims = (told) => told;
    provider.instead = async (path) => {
      if (path === "/token") await change(acme.id, what);
      return null;
    };
    expect([what, await browser.finish(back)]).toEqual([what, { error: "SSO_DISABLED" }]);
    provider.instead = null;
    expect(await t.sql("SELECT FROM sso_identities WHERE connection_id = $1", [acme.id])).toEqual([]);
  }
});

test("a callback without state, with that of another browser or connection, an old or a forged one is INVALID_STATE", async () => {
  const [acme, other] = [await connected(), await connected()];
  const browser = browserAt(t, acme);
  const back = provider.visit(await browser.begin(), somebody(acme));
  expect(await browserAt(t, acme).finish(back)).toEqual({ error: "INVALID_STATE" });

  const elsewhere = browserAt(t, acme);
  await elsewhere.begin();
  expect(await elsewhere.finish(back)).toEqual({ error: "INVALID_STATE" });

  const across = browserAt(t, other);
  across.state = browser.state;
  expect(await across.finish(back.replace(acme.id, other.id))).toEqual({ error: "INVALID_STATE" });

  const forged = browserAt(t, acme);
  forged.state = `${browser.state?.slice(0, -8)}AAAAAAAA`;
  expect(await forged.finish(back)).toEqual({ error: "INVALID_STATE" });

  expect(Object.keys(await browser.finish(back))).toEqual(["token"]);
  expect(await browser.finish(back)).toEqual({ error: "INVALID_STATE" });
});

test("whoever cancels at the provider is ACCESS_DENIED", async () => {
  const acme = await connected();
  expect(await browserAt(t, acme).signIn(null)).toEqual({ error: "ACCESS_DENIED" });
});

test("discovery is by the domain alone, the same for known and unknown addresses; disabled, suspended and lapsed ones have none", async () => {
  const acme = await connected();
  const person = await personOf(t, acme);
  const discover = async (email: string) =>
    expectStatus(await t.anonymous().post("/api/auth/sso/discover", { email }), 200).body;
  const found = { connection: { id: acme.id, name: "Acme" } };
  for (const email of [person.email, `nobody@${acme.domain}`, `NOBODY@${acme.domain.toUpperCase()}`])
    expect(await discover(email)).toEqual(found);
  const none = { connection: null };
  expect(await discover(`x@a.${acme.domain}`)).toEqual(none);
  await change(acme.id, "status = 'DISABLED'");
  expect(await discover(person.email)).toEqual(none);
  await change(acme.id, "status = 'ENABLED'");
  await setStatus(t, acme.organization, "SUSPENDED");
  expect(await discover(person.email)).toEqual(none);
  await setStatus(t, acme.organization, "ACTIVE");
  await setDomains(t, acme.organization, "LAPSED");
  expect(await discover(person.email)).toEqual(none);
});

const again = ({ id }: { id: string }) => `/api/auth/sso/${id}/reauthenticate`;

test("a re-authentication by the connection renews the proof of the same session, with a login at the provider just now", async () => {
  const acme = await connected();
  const grace = somebody(acme);
  const browser = await signedInBy(t, acme, grace);
  const { caller } = browser;
  const { sid } = claims(caller);
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '2 hours' WHERE session_id = $1", [
    sid,
  ]);
  await t.sql("UPDATE sso_identities SET linked_at = now() - interval '1 day' WHERE connection_id = $1", [
    acme.id,
  ]);
  const { url: asked } = await browser.beginBy(again(acme));
  expect(Object.fromEntries(new URL(asked).searchParams)).toMatchObject({ prompt: "login", max_age: "0" });
  const now = Math.floor(Date.now() / 1000);
  const done = await browser.finish(provider.visit(asked, { ...grace, auth_time: now }));
  expect(done).toEqual({ reauthenticated: `connection:${acme.id}` });
  expectStatus(await caller.refresh(), 200);
  expect(claims(caller)).toMatchObject({ sid, confined: true });
  expect(claims(caller).auth_time).toBeGreaterThanOrEqual(now);
});

test("a re-authentication without a recent login is PROVIDER_ERROR; as somebody else, or in another session, INVALID_STATE", async () => {
  const acme = await connected();
  const grace = somebody(acme);
  const browser = await signedInBy(t, acme, grace);
  const now = () => Math.floor(Date.now() / 1000);
  for (const auth_time of [undefined, now() - 400]) {
    const back = provider.visit((await browser.beginBy(again(acme))).url, { ...grace, auth_time });
    expect(await browser.finish(back)).toEqual({ error: "PROVIDER_ERROR" });
  }
  const [row] = await t.sql("SELECT last_error_code FROM sso_connections WHERE id = $1", [acme.id]);
  expect(row?.last_error_code).toBe("NO_AUTH_TIME");
  const other = { ...somebody(acme), auth_time: now() };
  expect(await browser.finish(provider.visit((await browser.beginBy(again(acme))).url, other))).toEqual({
    error: "INVALID_STATE",
  });
  const back = provider.visit((await browser.beginBy(again(acme))).url, { ...grace, auth_time: now() });
  const kept = browser.state;
  const newer = await signedInBy(t, acme, grace);
  newer.state = kept;
  expect(await newer.finish(back)).toEqual({ error: "INVALID_STATE" });
});

test("re-authentication by a connection is 404 unless the session has a live proof by it", async () => {
  const [acme, other] = [await connected(), await connected()];
  const { caller } = await signedInBy(t, acme, somebody(acme));
  expect(outcome(await caller.post(again(other)))).toBe("404 NOT_FOUND");
  expect(outcome(await (await t.person()).post(again(acme)))).toBe("404 NOT_FOUND");
  await change(acme.id, "status = 'DISABLED'");
  expect(outcome(await caller.post(again(acme)))).toBe("404 NOT_FOUND");
});

test("a test signs nobody in, writes nothing, and shows whoever began it what a sign-in would do", async () => {
  const acme = await connected({ status: "DRAFT" });
  const { admin } = acme.organization;
  const path = `/api/organization/connections/${acme.id}`;
  const browser = browserAt(t, acme, admin);
  const { cookie } = admin;
  const grace = somebody(acme, { groups: ["a"] });
  const { testId, url } = await browser.beginBy(`${path}/test`);
  const read = (reader = admin) => reader.get(`${path}/tests/${testId}`);
  expect((await read()).body.outcome).toBe("pending");
  expect(await browser.finish(provider.visit(url, grace))).toEqual({ tested: testId });
  expect(admin.cookie).toBe(cookie);
  const { body } = expectStatus(await read(), 200);
  expect(body).toMatchObject({
    outcome: "passed",
    subject: grace.sub,
    email: grace.email,
    emailVerified: null,
    firstName: "Grace",
    lastName: "Hopper",
    groups: ["a"],
    wouldBe: "create",
    problems: [],
  });
  expect(body.assignments.map(({ role }: { role: { name: string } }) => role.name)).toEqual(["MEMBER"]);
  expect(await t.sql("SELECT FROM users WHERE email = $1", [grace.email])).toEqual([]);
  expect(await eventsIn(t, acme.organization, "SSO_")).toEqual([]);
  const second = await acme.organization.member({ role: "ORG_ADMIN" });
  expect(outcome(await read(second))).toBe("404 NOT_FOUND");
  await t.sql("UPDATE sso_tests SET expires_at = now() WHERE connection_id = $1", [acme.id]);
  expect(outcome(await read())).toBe("404 NOT_FOUND");
});

test("a test whose provider fails, or whose person would be refused, says so", async () => {
  const acme = await connected({ provisioning: "none" });
  const { admin } = acme.organization;
  const path = `/api/organization/connections/${acme.id}`;
  const run = async (told: ReturnType<typeof somebody> | null) => {
    const browser = browserAt(t, acme, admin);
    const { testId, url } = await browser.beginBy(`${path}/test`);
    await browser.finish(provider.visit(url, told));
    const { outcome, wouldBe, problems } = (await admin.get(`${path}/tests/${testId}`)).body;
    return { outcome, wouldBe, problems };
  };
  expect(await run(somebody(acme))).toEqual({
    outcome: "passed",
    wouldBe: "refused",
    problems: ["NOT_A_MEMBER"],
  });
  expect(await run(null)).toEqual({ outcome: "failed", wouldBe: null, problems: ["ACCESS_DENIED"] });
  provider.instead = (asked) =>
    asked === "/token" ? Response.json({ error: "invalid_client" }, { status: 401 }) : null;
  expect(await run(somebody(acme))).toEqual({
    outcome: "failed",
    wouldBe: null,
    problems: ["CLIENT_REFUSED"],
  });
  provider.instead = null;
  const linked = await personOf(t, acme);
  await acme.organization.add(linked, { role: "MEMBER" });
  const told = somebody(acme, { email: linked.email });
  expect(await run(told)).toMatchObject({ wouldBe: "link" });
  await signedInBy(t, acme, told);
  expect(await run(told)).toMatchObject({ wouldBe: "enter" });
  expect((await run(somebody(acme, { email_verified: false }))).problems).toEqual(["EMAIL_NOT_VERIFIED"]);
});

test("tests of connections are limited to 20 an hour and organization", async () => {
  const acme = await connected();
  await t.sql(
    "INSERT INTO sso_tests (connection_id, user_id, tested_version, expires_at) SELECT $1, $2, 1, now() FROM generate_series(1, 20)",
    [acme.id, idOf(acme.organization.admin)],
  );
  const path = `/api/organization/connections/${acme.id}/test`;
  expect(outcome(await acme.organization.admin.post(path))).toBe("429 TOO_MANY_REQUESTS");
  expectStatus(await acme.organization.admin.delete(path.replace("/test", "")), 204);
  const next = await connect(t, acme.organization, provider);
  const again = `/api/organization/connections/${next.id}/test`;
  expect(outcome(await acme.organization.admin.post(again))).toBe("429 TOO_MANY_REQUESTS");
});

test("100 failures an hour are recorded of a connection, then one that says so", async () => {
  const acme = await connected({ provisioning: "none" });
  for (let count = 0; count < 103; count += 1) await browserAt(t, acme).signIn(somebody(acme));
  const reasons = (await eventsIn(t, acme.organization, "SSO_SIGN_IN_FAILED")).map(
    ({ metadata }) => metadata.reason,
  );
  expect(reasons).toHaveLength(101);
  expect(reasons.filter((reason) => reason === "limited")).toHaveLength(1);
});

test("too many sign-ins from one address are #error=TOO_MANY_REQUESTS at start and callback", async () => {
  const narrow = await startService({ THROTTLE_LIMIT: "1" }, { databaseUrl: t.databaseUrl });
  const acme = await connect(narrow, await createOrganization(narrow), provider);
  const caller = new Caller(narrow.url);
  for (const path of [`/api/auth/sso/${acme.id}`, `/api/auth/sso/${acme.id}/callback`]) {
    for (let count = 0; count < 24; count += 1) await caller.get(path);
    expect((await caller.get(path)).headers.get("location")).toEndWith(
      "/auth/callback#error=TOO_MANY_REQUESTS",
    );
  }
  for (let count = 0; count < 6; count += 1)
    await caller.post("/api/auth/sso/discover", { email: "a@example.com" });
  expect(outcome(await caller.post("/api/auth/sso/discover", { email: "a@example.com" }))).toBe(
    "429 TOO_MANY_REQUESTS",
  );
});

test("with single sign-on off, every route of it is 404", async () => {
  const off = await startService({ SSO: "off" }, { databaseUrl: t.databaseUrl });
  const id = crypto.randomUUID();
  for (const path of [`/api/auth/sso/${id}`, `/api/auth/sso/${id}/callback`])
    expect((await off.anonymous().get(path)).status).toBe(404);
  expect((await off.anonymous().post("/api/auth/sso/discover", { email: "a@example.com" })).status).toBe(404);
});

test("600 new accounts an hour come by a connection, then nobody new; those who are known sign in", async () => {
  expect(LIMITS.births).toMatchObject({ points: 600, perSeconds: 3_600 });
  const few = LIMITS.births as { points: number };
  const acme = await connected();
  const [known, invitedOne] = [somebody(acme), somebody(acme)];
  try {
    few.points = 1;
    await signedInBy(t, acme, known);
    await acme.organization.admin.post("/api/members/invitations", {
      email: invitedOne.email,
      ...assignments({ role: "MEMBER" }),
    });
    for (const told of [somebody(acme), invitedOne]) {
      expect(await browserAt(t, acme).signIn(told)).toEqual({ error: "TOO_MANY_REQUESTS" });
      expect(await t.sql("SELECT FROM users WHERE email = $1", [told.email])).toEqual([]);
    }
    await signedInBy(t, acme, known);
    const person = await personOf(t, acme);
    await signedInBy(t, acme, somebody(acme, { email: person.email }));
    const other = await connected();
    await signedInBy(t, other, somebody(other));
  } finally {
    few.points = 600;
  }
});

test("what a stranger's browser brings is recorded, and is not counted as a failure of the provider", async () => {
  const own = await connect(t, await createOrganization(t), provider);
  const odd: ((back: URLSearchParams) => void)[] = [
    (back) => back.set("code", "unknown"),
    (back) => back.delete("code"),
    (back) => back.append("code", "another"),
    (back) => back.set("iss", "https://evil.example.com"),
    (back) => back.delete("iss"),
    (back) => back.set("error", "server_error"),
  ];
  for (const change of odd) {
    const browser = browserAt(t, own);
    const back = new URL(provider.visit(await browser.begin(), somebody(own)));
    change(back.searchParams);
    expect(await browser.finish(back.href)).toEqual({ error: "PROVIDER_ERROR" });
  }
  expect(
    await t.sql("SELECT failures, last_error_code FROM sso_connections WHERE id = $1", [own.id]),
  ).toEqual([{ failures: 0, last_error_code: "PROVIDER_ERROR" }]);
});

test("callbacks beyond ten at once fail at once, and are not counted as failures of the provider", async () => {
  const own = await connect(t, await createOrganization(t), provider);
  const visits = await Promise.all(
    Array.from({ length: 13 }, async () => {
      const browser = browserAt(t, own);
      return { browser, back: provider.visit(await browser.begin(), somebody(own)) };
    }),
  );
  const gate = Promise.withResolvers<null>();
  provider.instead = (path) => (path === "/token" ? gate.promise : null);
  const refused = Promise.withResolvers<void>();
  let errors = 0;
  const outcomes = visits.map(async ({ browser, back }) => {
    const { error } = await browser.finish(back);
    if (error === undefined) return "in";
    errors += 1;
    if (errors === 3) refused.resolve();
    return error;
  });
  await refused.promise;
  const [stored] = await t.sql("SELECT failures FROM sso_connections WHERE id = $1", [own.id]);
  gate.resolve(null);
  expect((await Promise.all(outcomes)).filter((one) => one === "in")).toHaveLength(10);
  expect([errors, stored?.failures]).toEqual([3, 0]);
  provider.instead = null;
});
