import { expect, test } from "bun:test";
import { stateCookie } from "../../../src/features/identities/state-cookie.ts";
import { createCipher } from "../../../src/platform/crypto.ts";
import { until } from "../../support/cluster.ts";
import { browser, outcomeOf, startOidc, withProviders } from "../../support/oidc.ts";
import { startService } from "../../support/service.ts";

const oidc = await startOidc();
const other = await startOidc("other");
const t = await startService(withProviders(oidc, other));
const SECRET = t.environment.JWT_SECRET ?? "";

const INVALID = { error: "INVALID_STATE" };
const FAILED = { error: "PROVIDER_ERROR" };

/** Starts a sign-in up to the callback URL. */
async function visit() {
  const visitor = browser(t, oidc);
  const callback = await oidc.visit(await visitor.begin(), oidc.person());
  return { visitor, callback };
}

/** Decrypts the state cookie, changes values in it, and encrypts it again like the service. */
function reencrypted(cookie: string | null, change: Record<string, unknown>): string {
  const cipher = createCipher(SECRET, "oidc state");
  const state = cipher.decrypt(decodeURIComponent(cookie ?? "")) as Record<string, unknown>;
  return encodeURIComponent(cipher.encrypt({ ...state, ...change }));
}

/** Returns the callback URL with changed query parameters; null removes a parameter. */
function altered(callback: string, changes: Record<string, string | null>): string {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

test("the state cookie is HttpOnly and SameSite, expires after ten minutes, and is encrypted", async () => {
  const visitor = browser(t, oidc);
  const query = new URL(await visitor.begin()).searchParams;
  expect(visitor.stateHeader).toMatch(
    /^oidc_state=[\w%.-]{50,}; Path=\/api\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  const bytes = Buffer.from(decodeURIComponent(visitor.state ?? ""), "base64").toString("latin1");
  for (const text of [query.get("state"), query.get("nonce"), "acme", "sign-in"])
    expect(bytes).not.toContain(text ?? "missing");
});

test("in production the state cookie is Secure", async () => {
  const production = await startService({
    ...withProviders(oidc),
    NODE_ENV: "production",
    APP_URL: "https://app.test",
    STORAGE_DIR: "/tmp",
    OIDC_ACME_ISSUER: "https://127.0.0.1:1",
  });
  const response = await production.anonymous().get("/api/auth/oidc/acme/callback");
  expect(response.headers.get("location")).toBe("https://app.test/auth/callback#error=INVALID_STATE");
  expect(response.headers.getSetCookie()).toEqual([
    "oidc_state=; Path=/api/auth/oidc; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
  ]);
  const secrets = { state: "s", nonce: "n", verifier: "v" };
  const set = { provider: "acme", purpose: { kind: "sign-in" }, secrets } as const;
  expect(stateCookie({ jwtSecret: SECRET, jwtSecretPrevious: null, production: true }).set(set)).toEndWith(
    "; SameSite=Lax; Secure",
  );
  const departure = await production.anonymous().get("/api/auth/oidc/acme");
  expect(departure.headers.get("location")).toBe("https://app.test/auth/callback#error=PROVIDER_ERROR");
});

test("the state cookie and the code of a callback work for one sign-in only", async () => {
  const { visitor, callback } = await visit();
  const state = visitor.state;
  expect(Object.keys(await visitor.finish(callback))).toEqual(["token"]);
  expect([visitor.state, visitor.stateHeader]).toEqual([
    null,
    "oidc_state=; Path=/api/auth/oidc; Max-Age=0; HttpOnly; SameSite=Lax",
  ]);
  expect(await visitor.finish(callback)).toEqual(INVALID);
  visitor.state = state;
  expect(await visitor.finish(callback)).toEqual(FAILED);
});

test("a callback without its state cookie, or with another browser's, is refused", async () => {
  const mine = await visit();
  const theirs = await visit();
  expect(await browser(t, oidc).finish(mine.callback)).toEqual(INVALID);
  expect(await mine.visitor.finish(theirs.callback)).toEqual(INVALID);
  expect(mine.visitor.state).toBeNull();
  expect(Object.keys(await theirs.visitor.finish(theirs.callback))).toEqual(["token"]);
});

test("an authorization code of another browser is refused by the provider, even with the right state", async () => {
  const mine = await visit();
  const theirs = await visit();
  const code = new URL(theirs.callback).searchParams.get("code") ?? "";
  expect(await mine.visitor.finish(altered(mine.callback, { code }))).toEqual(FAILED);
});

test("a callback with a modified state cookie is refused", async () => {
  const { visitor, callback } = await visit();
  const good = Buffer.from(decodeURIComponent(visitor.state ?? ""), "base64");
  const bad = [0, 11, 12, 40, good.length - 17, good.length - 1].map((index) => {
    const bytes = Buffer.from(good);
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    return bytes.toString("base64");
  });
  for (const state of [...bad, good.subarray(0, 20).toString("base64"), "", "x", "%", "%00", "e30="]) {
    visitor.state = encodeURIComponent(state);
    expect([state, await visitor.finish(callback)]).toEqual([state, INVALID]);
  }
  const foreign = createCipher("another secret", "oidc state").encrypt({});
  const otherPurpose = createCipher(SECRET, "jobs").encrypt({});
  for (const state of [foreign, otherPurpose, createCipher(SECRET, "oidc state").encrypt({})]) {
    visitor.state = encodeURIComponent(state);
    expect(await visitor.finish(callback)).toEqual(INVALID);
  }
});

test("the service refuses a state cookie older than ten minutes, even if the browser still sends it", async () => {
  const { visitor, callback } = await visit();
  const late = reencrypted(visitor.state, { expiresAt: Date.now() - 1 });
  const early = reencrypted(visitor.state, { expiresAt: Date.now() + 60_000 });
  visitor.state = late;
  expect(await visitor.finish(callback)).toEqual(INVALID);
  visitor.state = early;
  expect(Object.keys(await visitor.finish(callback))).toEqual(["token"]);
});

test("a sign-in started at one provider cannot be finished at another", async () => {
  const { visitor, callback } = await visit();
  expect(await visitor.finish(callback.replace("/acme/", "/other/"))).toEqual(INVALID);
  const again = await visit();
  again.visitor.state = reencrypted(again.visitor.state, { provider: "other" });
  expect(await again.visitor.finish(again.callback)).toEqual(INVALID);
});

test("a callback with a missing, wrong or repeated state is refused", async () => {
  for (const state of [null, "", "other"]) {
    const { visitor, callback } = await visit();
    expect(await visitor.finish(altered(callback, { state }))).toEqual(INVALID);
  }
  const { visitor, callback } = await visit();
  const state = new URL(callback).searchParams.get("state");
  expect(await visitor.finish(`${callback}&state=${state}`)).toEqual(INVALID);
});

test("a callback with a missing, repeated or wrong code is a provider error", async () => {
  const { callback } = await visit();
  const code = new URL(callback).searchParams.get("code");
  for (const change of [
    (url: string) => altered(url, { code: null }),
    (url: string) => altered(url, { code: "wrong" }),
    (url: string) => `${url}&code=${code}`,
    (url: string) => `${url}&error=server_error`,
    (url: string) => altered(url, { iss: "https://other.test" }),
    (url: string) => altered(url, { iss: null }),
  ]) {
    const { visitor, callback } = await visit();
    expect(await visitor.finish(change(callback))).toEqual(FAILED);
    expect(visitor.state).toBeNull();
  }
});

test("additional callback parameters are ignored", async () => {
  const { visitor, callback } = await visit();
  const added = `${callback}&scope=openid&authuser=0&hd=x.test&prompt=none&x=%00&y=%ED%A0%80&%`;
  expect(Object.keys(await visitor.finish(added))).toEqual(["token"]);
});

test("only canceling at the provider redirects with the error ACCESS_DENIED", async () => {
  expect(await browser(t, oidc).signIn(null)).toEqual({ error: "ACCESS_DENIED" });
  const { visitor, callback } = await visit();
  const denied = altered(callback, { code: null, error: "access_denied" });
  expect(await browser(t, oidc).finish(denied)).toEqual(INVALID);
  const failed = altered(callback, { code: null, error: "server_error" });
  expect(await visitor.finish(failed)).toEqual(FAILED);
});

test("redirects of third-party sign-in have Cache-Control no-store and the security headers of all responses", async () => {
  const visitor = browser(t, oidc);
  const departure = await visitor.get("/api/auth/oidc/acme");
  const callback = await oidc.visit(departure.headers.get("location") ?? "", oidc.person());
  const arrival = await visitor.get(callback.replace("http://app.test", ""), { "x-request-id": "mine" });
  expect(Object.keys(outcomeOf(arrival))).toEqual(["token"]);
  for (const { headers } of [departure, arrival]) {
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  }
  expect(arrival.headers.get("x-request-id")).toBe("mine");
  expect(arrival.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^oidc_state=; .*Max-Age=0/),
    expect.stringMatching(
      /^refresh_token=[\w-]{43}; Path=\/api\/auth; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    ),
  ]);
});

test("no log line contains a code, state, cookie or token of a third-party sign-in, successful or failed", async () => {
  const [instance] = await t.cluster(1);
  if (instance === undefined) throw new Error("No instance");
  const secrets: string[] = [];
  for (const nonce of [null, "another"]) {
    const visitor = browser(t, oidc, t.anonymous(instance.url));
    const callback = await oidc.visit(await visitor.begin(), oidc.person());
    const query = new URL(callback).searchParams;
    secrets.push(query.get("code") ?? "", query.get("state") ?? "", visitor.state ?? "");
    const finish = () => visitor.finish(callback);
    const outcome = await (nonce === null ? finish() : oidc.lying({ nonce }, finish));
    expect(Object.keys(outcome)).toEqual([nonce === null ? "token" : "error"]);
    secrets.push(...(outcome.token ? [outcome.token, visitor.caller.cookie ?? ""] : []));
  }
  await until(() => (instance.log().join("").includes("identity provider failed") ? true : null));
  expect(secrets.every((secret) => secret.length > 20)).toBe(true);
  const log = instance.log().join("\n");
  expect(log).toContain("/api/auth/oidc/acme/callback?code=…&state=…");
  for (const secret of secrets) expect(log).not.toContain(secret);
});

test("a callback of an unknown provider clears the state cookie", async () => {
  const { visitor } = await visit();
  expect((await visitor.get("/api/auth/oidc/unknown/callback?code=x")).status).toBe(404);
  expect(visitor.state).toBeNull();
});
