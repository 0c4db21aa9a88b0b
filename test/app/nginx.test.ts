import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TOKEN_PATHS } from "../../src/core/effects/token-links.ts";
import { startShippedNginx } from "../support/nginx.ts";
import { startService } from "../support/service.ts";

/*
 * Runs nginx with docs/deploy/nginx.conf in front of a service with a minimal console. `.ci/run` installs nginx;
 * these tests are skipped without it.
 */
const hasNginx = Bun.which("nginx") !== null || process.env.REQUIRE_NGINX === "1";

describe.skipIf(!hasNginx)("nginx.conf", async () => {
  if (!hasNginx) return;
  const folder = await mkdtemp(join(tmpdir(), "web-"));
  await Bun.write(join(folder, "index.html"), "<title>the console</title>");
  await Bun.write(join(folder, "assets/main-1.js"), "");
  const t = await startService({ WEB: "on", TRUST_PROXY: "1" }, { webFolder: folder });
  const nginx = await startShippedNginx([Number(new URL(t.url).port)], { tls: true });
  afterAll(nginx.stop);
  const get = (path: string, init: RequestInit = {}) =>
    fetch(nginx.url + path, { ...init, redirect: "manual", tls: { rejectUnauthorized: false } });

  test("serves the API and the console with TLS, and redirects all requests without TLS", async () => {
    expect((await get("/api/health/live")).status).toBe(200);
    for (const path of ["/", "/verify-email?token=x", "/reset-password", "/accept-invitation?token=x"])
      expect([path, await (await get(path)).text()]).toEqual([path, "<title>the console</title>"]);
    const plain = await fetch(`${nginx.plainUrl}/api/profile?a=b`, { redirect: "manual" });
    expect([plain.status, plain.headers.get("location")]).toEqual([
      301,
      "https://app.example.com/api/profile?a=b",
    ]);
  });

  /** Returns the paths of the API with a secret in the query. */
  async function pathsOfApiWithTokens() {
    const { paths } = JSON.parse(await (await fetch(`${t.url}/api/docs-json`)).text());
    type Operation = { parameters?: { in: string; name: string }[] };
    return Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) => {
      const parameters = Object.values(operations).flatMap(({ parameters = [] }) => parameters);
      return parameters.some(({ in: place, name }) => place === "query" && name === "token") ? [path] : [];
    });
  }

  test("the documents name every path whose query has a token", async () => {
    for (const document of ["operate/deploy.md", "clients.md"]) {
      const text = await Bun.file(join(import.meta.dir, "../../docs", document)).text();
      expect(TOKEN_PATHS.filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
    }
    expect(await pathsOfApiWithTokens()).toEqual(["/api/auth/invitation"]);
  });

  test("logs no query of a request with a secret, also if its instance is down", async () => {
    const paths = [
      ...TOKEN_PATHS.map((path) => `${path}?token=HIDDEN`),
      ...(await pathsOfApiWithTokens()).map((path) => `${path}?token=HIDDEN`),
      "/accept-invitation?x=1&TOKEN=HIDDEN",
      "/authorize?response_type=code&client_id=x&state=HIDDEN&code_challenge=HIDDEN",
      "/api/auth/oidc/google/callback?state=HIDDEN&code=HIDDEN",
      "/api/auth/sso/0190c7a0-0000-7000-8000-000000000001/callback?state=HIDDEN&code=HIDDEN",
    ];
    for (const path of [...paths, "/api/todos?%74oken=HIDDEN"])
      await get(path, { headers: { referer: `${nginx.url}/?token=HIDDEN` } });
    await fetch(`${nginx.plainUrl}${paths[0]}`, { redirect: "manual" });
    await get("/api/todos?search=readable");
    const nobody = await startShippedNginx([1], { tls: true });
    for (const path of paths) {
      const response = await fetch(nobody.url + path, { tls: { rejectUnauthorized: false } });
      expect([path, response.status]).toEqual([path, 502]);
    }
    const logged = (await nginx.accessLog()) + (await nobody.accessLog());
    expect(logged).toContain('"GET /api/todos?search=readable HTTP');
    expect(logged).toContain('"GET /api/auth/oidc/google/callback?... HTTP');
    expect(logged + (await nginx.errorLog()) + (await nobody.errorLog())).not.toContain("HIDDEN");
    await nobody.stop();
  });

  test("allows 26 MB for tickets; elsewhere the service refuses a body before nginx does", async () => {
    const status = async (path: string, bytes: number) => {
      const headers = { "content-type": "application/json", authorization: "Bearer x" };
      const response = await get(path, { method: "POST", headers, body: Buffer.alloc(bytes, "x") });
      return [response.status, response.headers.get("content-type")?.split(";")[0]];
    };
    // A JSON body shows that the response is from the service, not from nginx.
    expect(await status("/api/auth/login", 200_000)).toEqual([413, "application/json"]);
    expect(await status("/api/auth/login", 2_000_000)).toEqual([413, "text/html"]);
    for (const path of ["support", "helpdesk", "organization/helpdesk"])
      for (const end of ["tickets", "tickets/1/messages"])
        expect([path, (await status(`/api/${path}/${end}`, 2_000_000))[1]]).toEqual([
          path,
          "application/json",
        ]);
    expect((await status("/api/support/tickets", 27 * 1024 * 1024))[1]).toBe("text/html");
  });

  test("passes on the address of the client's connection, whatever headers the client sends", async () => {
    const person = await t.person();
    const { email, password } = person.account;
    const response = await get("/api/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": "203.0.113.7" },
      body: JSON.stringify({ email, password }),
    });
    expect(response.status).toBe(200);
    const rows = await t.sql(
      "SELECT ip FROM audit_events e JOIN users u ON u.id = e.actor_id WHERE email = $1",
      [email],
    );
    expect(rows.map(({ ip }) => ip)).not.toContain("203.0.113.7");
    expect(rows.length).toBeGreaterThan(0);
  });

  test("returns 429 with Retry-After in the common error format to an address with more than 200 concurrent requests", async () => {
    const slow = await startShippedNginx([Number(new URL(t.url).port)], { tls: true, ratePerSecond: 1 });
    const live = () => fetch(`${slow.url}/api/health/live`, { tls: { rejectUnauthorized: false } });
    const responses = await Promise.all(Array.from({ length: 240 }, live));
    const refused = responses.filter(({ status }) => status === 429);
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(150);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(await refused[0]?.json()).toMatchObject({ statusCode: 429, code: "TOO_MANY_REQUESTS" });
    await slow.stop();
  });
});
