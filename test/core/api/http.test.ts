import { expect, test } from "bun:test";
import { request, sendRaw } from "../../support/raw.ts";
import { startService } from "../../support/service.ts";

const t = await startService();

const HOSTS = [
  "",
  "a b",
  "x/api/nowhere?",
  "x#y",
  "u:p@evil.test",
  '"<>',
  "x:99999",
  "[::1",
  "x%2fapi",
  "\\",
];
const statusOf = async (bytes: string | Uint8Array) => (await sendRaw(t.url, bytes))[0]?.status;

test("an unknown route is 404 in the common error format", async () => {
  const response = await t.anonymous().get("/api/nowhere", { headers: { "x-request-id": "here" } });
  expect(response.status).toBe(404);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.body).toEqual({
    statusCode: 404,
    code: "NOT_FOUND",
    message: "Not found",
    requestId: "here",
  });
});

test("a known path with an unsupported method is 404", async () => {
  for (const method of ["PUT", "DELETE", "PATCH", "GET", "OPTIONS", "PROPFIND"]) {
    const response = await t.anonymous().send(method, "/api/auth/login");
    expect([method, response.status, response.body.code]).toEqual([method, 404, "NOT_FOUND"]);
  }
  expect(await statusOf(request("TRACE /api/health/live"))).toBe(404);
  expect(await statusOf(request("CONNECT /api/health/live"))).toBe(404);
});

test("HEAD responds like GET, without the body", async () => {
  for (const path of ["/api/health/live", "/api/profile", "/api/docs", "/api/nowhere"]) {
    const [head, get] = await Promise.all([fetch(t.url + path, { method: "HEAD" }), fetch(t.url + path)]);
    expect(head.status).toBe(get.status);
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect(await head.text()).toBe("");
  }
  expect((await fetch(`${t.url}/api/auth/login`, { method: "HEAD" })).status).toBe(404);
});

test("HEAD with a body or an unknown Host gets the same response as GET", async () => {
  expect(await statusOf(request("HEAD /api/health/live", {}, "body"))).toBe(200);
  for (const Host of HOSTS)
    expect([Host, await statusOf(request("HEAD /api/health/live", { Host }))]).toEqual([Host, 200]);
});

test("a path is matched exactly, including slashes and case", async () => {
  for (const path of [
    "/api/auth/login/",
    "/api//auth/login",
    "//api/auth/login",
    "/API/auth/login",
    "/api/auth",
  ]) {
    expect(await statusOf(request(`POST ${path}`))).toBe(404);
  }
});

test("percent-encoding in a path is decoded, and invalid encoding is 404", async () => {
  expect(await statusOf(request("POST /api/auth/%6Cogin"))).toBe(400);
  for (const path of [
    "/api/auth/login%FF",
    "/api/auth/login%zz",
    "/api/auth/login%",
    "/api/%00",
    "/%c0%80",
  ]) {
    expect(await statusOf(request(`POST ${path}`))).toBe(404);
  }
});

test("the Host header never affects routing", async () => {
  for (const Host of HOSTS) {
    expect([Host, await statusOf(request("GET /api/health/live", { Host }))]).toEqual([Host, 200]);
    expect([Host, await statusOf(request("GET /api/nowhere", { Host }))]).toEqual([Host, 404]);
  }
});

test("an HTTP/1.0 request without Host is served, as load balancers send it", async () => {
  expect(await statusOf("GET /api/health/live HTTP/1.0\r\n\r\n")).toBe(200);
  expect(await statusOf("GET /ab/api/health/live HTTP/1.0\r\n\r\n")).toBe(404);
});

test("an absolute request target is routed by its path", async () => {
  expect(await statusOf(request("GET http://evil.test/api/health/live"))).toBe(200);
  expect(await statusOf(request("GET http://evil.test/api/nowhere"))).toBe(404);
});

test("pipelined requests get their responses in the order of the requests", async () => {
  const json = { "Content-Type": "application/json" };
  const responses = await sendRaw(
    t.url,
    request("GET /api/health/live") +
      request("POST /api/auth/login", json, "{}") +
      request("GET /api/nowhere") +
      request("GET /api/health/live"),
    4,
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 400, 404, 200]);
});

test("a malformed HTTP request gets a 4xx or no response, and the service keeps serving", async () => {
  const json = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const requests = [
    "\x16\x03\x01\x02\x00\r\n\r\n",
    "GET /api/health/live HTTP/1.1\r\n\r\n",
    "BREW /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n",
    `${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    `${json}Content-Length: -2\r\n\r\n{}`,
    `${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    `GET /api/health/live HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`,
    `GET /api/health/live?${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ];
  for (const bytes of requests) {
    const status = (await statusOf(bytes)) ?? 400;
    expect([bytes.slice(0, 60), status >= 400 && status < 500]).toEqual([bytes.slice(0, 60), true]);
  }
  expect(await statusOf(request("GET /api/health/live"))).toBe(200);
});

test("a long query within the limit is accepted", async () => {
  expect(await statusOf(request(`GET /api/health/live?${"x".repeat(10_000)}`))).toBe(400);
  expect(await statusOf(request(`GET /api/health/live?${"a&".repeat(5_000)}`))).toBe(400);
});

test("liveness is 200 while the process responds, readiness while the service can serve", async () => {
  expect((await t.anonymous().get("/api/health/live")).body).toEqual({ status: "ok" });
  expect((await t.anonymous().get("/api/health/ready")).body).toEqual({
    status: "ok",
    checks: { database: "ok", jobs: "ok", changeFeed: "ok", storage: "ok" },
  });
});

test("readiness fails while the job queue is unavailable, and recovers with it", async () => {
  const jobs = async () => (await t.anonymous().get("/api/health/ready")).body.checks.jobs;
  await t.sql("ALTER SCHEMA pgboss RENAME TO out_of_reach");
  expect(await jobs()).toBe("failed");
  await t.sql("ALTER SCHEMA out_of_reach RENAME TO pgboss");
  expect(await jobs()).toBe("ok");
});
