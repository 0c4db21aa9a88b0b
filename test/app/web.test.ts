import { expect, test } from "bun:test";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../support/service.ts";

/** A minimal build of the console: how files are served does not depend on their content. */
const folder = await mkdtemp(join(tmpdir(), "web-"));
await mkdir(join(folder, "assets"));
await Bun.write(
  join(folder, "index.html"),
  '<meta name="base-path" content="{{base}}"><meta content="{{api}}"><script>1;</script>',
);
for (const [name, text] of Object.entries({
  "main-1.js": "as it is",
  "main-1.js.gz": "gzip",
  "main-1.js.br": "br",
}))
  await Bun.write(join(folder, "assets", name), text);
await Bun.write(join(folder, "secret.js"), "outside");

const t = await startService(
  { WEB: "on", APP_URL: "http://app.test/console", API_URL: "http://api.test" },
  { webFolder: folder },
);
const off = await startService();
const get = (path: string, init?: RequestInit) =>
  fetch(t.url + path, { ...init, decompress: false } as RequestInit);
const SCRIPT = "/assets/main-1.js";

test("every path that may be a page of the console returns the page, with a strict CSP and an ETag", async () => {
  for (const path of ["/", "/sign-in", "/support/tickets/1?x=y", "/apiary"]) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("permissions-policy")).toContain("camera=()");
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const part of [
      "default-src 'none'",
      `script-src 'self' 'sha256-${new Bun.CryptoHasher("sha256").update("1;").digest("base64")}'`,
      "style-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split("; ")).toContain(part);
    expect(policy).toContain("connect-src 'self' http://api.test");
    expect(policy).not.toContain("unsafe");
    expect(await response.text()).toBe(
      '<meta name="base-path" content="/console"><meta content="http://api.test"><script>1;</script>',
    );
  }
});

test("If-None-Match with the page's ETag is 304, and HEAD has the headers of GET", async () => {
  const etag = (await get("/")).headers.get("etag") ?? "";
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"])
    expect((await get("/todos", { headers: { "if-none-match": known } })).status).toBe(304);
  expect((await get("/", { headers: { "if-none-match": '"x"' } })).status).toBe(200);
  const head = await get("/", { method: "HEAD" });
  expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
});

test("paths of the API, missing files and other methods return the 404 of the API", async () => {
  for (const path of [
    "/api",
    "/api/nothing",
    "/API/x",
    "/favicon.ico",
    "/assets/none.js",
    "/assets/",
    "/.well-known/x",
    "/.env",
  ]) {
    const response = await get(path);
    expect([path, response.status, ((await response.json()) as { code: string }).code]).toEqual([
      path,
      404,
      "NOT_FOUND",
    ]);
  }
  for (const method of ["POST", "PUT", "DELETE"]) expect((await get("/", { method })).status).toBe(404);
  expect((await get("/api/health/live")).status).toBe(200);
});

test("an asset is sent in the encoding that the client prefers, and may be cached indefinitely", async () => {
  const cases: [accepted: string, encoding: string | null, text: string][] = [
    ["gzip, deflate, br, zstd", "br", "br"],
    ["gzip", "gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip", "gzip"],
    ["br;q=0, gzip;q=0", null, "as it is"],
    ["*", "br", "br"],
    ["identity", null, "as it is"],
    ["gzip;q=0.5, identity", null, "as it is"],
    ["zstd", null, "as it is"],
    ["*;q=0", null, "as it is"],
    ["identity;q=0", null, "as it is"],
    [";;,=", null, "as it is"],
  ];
  for (const [accepted, encoding, text] of cases) {
    const response = await get(SCRIPT, { headers: { "accept-encoding": accepted, range: "bytes=0-1" } });
    expect([
      accepted,
      response.status,
      response.headers.get("content-encoding"),
      await response.text(),
    ]).toEqual([accepted, 200, encoding, text]);
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  }
});

test("no path reaches a file outside of the console's folder", async () => {
  const tries = [
    "/assets/../secret.js",
    "/assets/%2e%2e/secret.js",
    "/assets/..%2fsecret.js",
    "/assets/..%5csecret.js",
    "/assets/%00",
    "/assets//secret.js",
    "/assets/main-1.js.gz/../../secret.js",
    "/secret.js",
    "/index.html",
  ];
  for (const path of tries) {
    const text = await (await get(path)).text();
    expect([path, text.includes("outside")]).toEqual([path, false]);
    expect([path, (JSON.parse(text) as { code: string }).code]).toEqual([path, "NOT_FOUND"]);
  }
});

test("without WEB=on no path of the console is served", async () => {
  for (const path of ["/", "/sign-in", SCRIPT]) expect((await off.anonymous().get(path)).status).toBe(404);
});
