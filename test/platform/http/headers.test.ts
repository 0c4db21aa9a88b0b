import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { request, sendRaw } from "../../support/raw.ts";
import { startService } from "../../support/service.ts";

const t = await startService({ THROTTLE_LIMIT: "20", CORS_ORIGIN: "https://web.test" });
const production = await startService({
  NODE_ENV: "production",
  APP_URL: "https://app.test",
  STORAGE_DIR: tmpdir(),
  BILLING_PLANS_FILE: "none",
});
const STRICT = "default-src 'none'; frame-ancestors 'none'";
const JSON_TYPE = { "content-type": "application/json" };

/** Returns one response of every kind, from routes, middleware, the API explorer and static files. */
async function everyKind(url: string): Promise<Record<string, Response>> {
  const post = (path: string, body: string, headers = {}) =>
    fetch(url + path, { method: "POST", body, headers: { ...JSON_TYPE, ...headers } });
  const preflight = { origin: "https://web.test", "access-control-request-method": "POST" };
  for (let call = 0; call < 20; call += 1) await post("/api/auth/reset-password", "{");
  return {
    ok: await fetch(`${url}/api/health/live`),
    notFound: await fetch(`${url}/api/nowhere`),
    outside: await fetch(`${url}/`),
    invalid: await post("/api/auth/login", "{}"),
    malformed: await post("/api/auth/login", "{"),
    unauthenticated: await fetch(`${url}/api/profile`),
    tooLarge: await post("/api/auth/login", " ".repeat(200_000)),
    wrongType: await post("/api/auth/login", "{}", { "content-type": "text/plain" }),
    tooMany: await post("/api/auth/reset-password", "{}"),
    preflight: await fetch(`${url}/api/profile`, { method: "OPTIONS", headers: preflight }),
    document: await fetch(`${url}/api/docs-json`),
    explorer: await fetch(`${url}/api/docs`),
    asset: await fetch(`${url}/api/docs/swagger-ui.css`),
    noAsset: await fetch(`${url}/api/docs/package.json`),
    head: await fetch(`${url}/api/health/live`, { method: "HEAD" }),
  };
}

test("every response has the security headers", async () => {
  const responses = await everyKind(t.url);
  expect([responses.tooMany?.status, responses.tooLarge?.status, responses.preflight?.status]).toEqual([
    429, 413, 204,
  ]);
  for (const [kind, { headers }] of Object.entries(responses)) {
    expect([kind, headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual([
      kind,
      "nosniff",
      "no-referrer",
    ]);
    expect([kind, headers.get("strict-transport-security")]).toEqual([kind, null]);
    expect([kind, headers.get("x-request-id")]).not.toContain(null);
    if (kind !== "explorer") expect([kind, headers.get("content-security-policy")]).toEqual([kind, STRICT]);
  }
});

test("every JSON response is `Cache-Control: no-store`", async () => {
  const responses = Object.entries(await everyKind(t.url));
  const json = responses.filter(([, { headers }]) => headers.get("content-type")?.includes("json"));
  expect(json.length).toBeGreaterThan(8);
  for (const [kind, { headers }] of json)
    expect([kind, headers.get("cache-control")]).toEqual([kind, "no-store"]);
});

test("the content security policy of the API explorer allows no other host", async () => {
  const policy = (await fetch(`${t.url}/api/docs`)).headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/https?:|\*/);
});

test("in production every response has HSTS", async () => {
  for (const [kind, { headers }] of Object.entries(await everyKind(production.url))) {
    expect([kind, headers.get("strict-transport-security")]).toEqual([
      kind,
      "max-age=31536000; includeSubDomains",
    ]);
  }
});

test("the refresh cookie is Secure only in production", async () => {
  for (const [service, isSecure] of [
    [t, false],
    [production, true],
  ] as const) {
    const person = await service.person();
    const set = [await person.login(), await person.refresh(), await person.post("/api/auth/logout")];
    for (const { headers } of set) {
      const cookie = headers.get("set-cookie") ?? "";
      expect(cookie).toStartWith("refresh_token=");
      expect(cookie.endsWith("; Secure")).toBe(isSecure);
    }
  }
});

test("a request id of safe characters is returned unchanged, in the header and in the body", async () => {
  for (const id of ["a", "A.b_c-9", "x".repeat(128)]) {
    const response = await t.anonymous().get("/api/nowhere", { headers: { "x-request-id": id } });
    expect([response.headers.get("x-request-id"), response.body.requestId]).toEqual([id, id]);
  }
});

test("a request id with other characters is replaced", async () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  for (const id of ["", "a b", "x".repeat(129), "a,b", "a/b", "é", "a;b", "<a>"]) {
    const [response] = await sendRaw(t.url, request("GET /api/nowhere", { "X-Request-Id": id }));
    expect(response?.headers.get("x-request-id")).toMatch(uuid);
    expect(JSON.parse(response?.body ?? "").requestId).toBe(response?.headers.get("x-request-id"));
  }
  const two = request("GET /api/nowhere", { "X-Request-Id": "a\r\nX-Request-Id: b" });
  expect((await sendRaw(t.url, two))[0]?.headers.get("x-request-id")).toMatch(uuid);
});

test("a User-Agent header is decoded as UTF-8, or else as Latin-1, and stored without control characters", async () => {
  const cases: [Buffer, string | null][] = [
    [Buffer.from("Mozilla/5.0 (X11)"), "Mozilla/5.0 (X11)"],
    [Buffer.from("Φυλλομετρητής/1.0 😀"), "Φυλλομετρητής/1.0 😀"],
    [Buffer.from("caf\u00e9/1.0", "latin1"), "café/1.0"],
    [Buffer.from("a\u0085b\u202e\u2028c"), "abc"],
    [Buffer.from("caf\u00e9\u009b31m", "latin1"), "café31m"],
    [Buffer.from("\u0085"), null],
    [Buffer.from("😀".repeat(600)), "😀".repeat(500)],
    [Buffer.from("x".repeat(600)), "x".repeat(500)],
  ];
  for (const [userAgent, kept] of cases) {
    const person = await t.person();
    const head = request("POST /api/auth/refresh", { Cookie: `refresh_token=${person.cookie}` }).trimEnd();
    const bytes = Buffer.concat([Buffer.from(`${head}\r\nUser-Agent: `), userAgent, Buffer.from("\r\n\r\n")]);
    expect((await sendRaw(t.url, bytes))[0]?.status).toBe(200);
    const [row] = await t.sql(
      `SELECT r.user_agent FROM refresh_tokens r JOIN users u ON u.id = r.user_id
       WHERE u.email = $1 AND r.revoked_at IS NULL`,
      [person.email],
    );
    expect(row?.user_agent).toBe(kept);
  }
});
