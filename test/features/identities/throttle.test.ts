import { expect, test } from "bun:test";
import { browser, outcomeOf, startOidc, withProviders } from "../../support/oidc.ts";
import { startService } from "../../support/service.ts";

const oidc = await startOidc();
const other = await startOidc("other");
const t = await startService({ ...withProviders(oidc, other), THROTTLE_LIMIT: undefined, TRUST_PROXY: "1" });

let addresses = 0;
const from = () => ({ "x-forwarded-for": `198.51.100.${++addresses}` });
const get = (path: string, headers: Record<string, string>) => t.anonymous().get(path, { headers });

test("an IP address can start 60 third-party sign-ins a minute, counted over all providers", async () => {
  const headers = from();
  for (let count = 0; count < 30; count += 1)
    for (const key of ["acme", "other"])
      expect((await get(`/api/auth/oidc/${key}`, headers)).status).toBe(302);
  const refused = await get("/api/auth/oidc/acme", headers);
  expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.getSetCookie()).toEqual([]);
});

test("a sign-in callback beyond the rate limit redirects to the console with an error instead of returning JSON", async () => {
  const headers = from();
  const path = "/api/auth/oidc/acme/callback?code=x&state=y";
  for (let count = 0; count < 60; count += 1)
    expect(outcomeOf(await get(path, headers))).toEqual({ error: "INVALID_STATE" });

  const visitor = browser(t, oidc);
  const callback = await oidc.visit(await visitor.begin(), oidc.person());
  expect(await visitor.finish(callback, headers)).toEqual({ error: "TOO_MANY_REQUESTS" });
  expect(visitor.state).toBeNull();
  expect(oidc.calls).not.toContain("/token");
  const refused = await get(path, headers);
  expect(refused.headers.get("cache-control")).toBe("no-store");
  expect(refused.headers.get("x-request-id")).toBeTruthy();
});

test("sign-in starts, callbacks and IP addresses are limited separately; the list of providers is not limited", async () => {
  const headers = from();
  for (let count = 0; count < 60; count += 1) await get("/api/auth/oidc/acme", headers);
  expect((await get("/api/auth/oidc/acme/callback", headers)).status).toBe(302);
  expect((await get("/api/auth/oidc/acme", from())).status).toBe(302);
  for (let count = 0; count < 7; count += 1)
    expect((await get("/api/auth/providers", headers)).status).toBe(200);
});

test("many people behind one address sign in with a provider", async () => {
  const headers = from();
  for (let count = 0; count < 12; count += 1) {
    const visitor = browser(t, oidc);
    const callback = await oidc.visit(await visitor.begin(headers), oidc.person());
    expect(await visitor.finish(callback, headers)).toEqual({ token: expect.any(String) });
  }
});
