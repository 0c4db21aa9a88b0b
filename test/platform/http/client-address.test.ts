import { expect, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import { route } from "../../../src/core/api/route.ts";
import { json } from "../../../src/core/api/route-parts.ts";
import { Router } from "../../../src/core/api/router.ts";
import { throttleKey } from "../../../src/platform/http/client-address.ts";
import { clientAddressFrom } from "../../../src/platform/http/trusted-proxies.ts";
import { request, sendRaw } from "../../support/raw.ts";
import { serveRoutes } from "../../support/routes.ts";
import { startService } from "../../support/service.ts";

const t = await startService();

const whoami = route({
  operationId: "whoami",
  method: "get",
  path: "/api/whoami",
  summary: "Tells the caller's address",
  access: "public",
  responses: { 200: json(z.object({ ip: z.string().nullable() }), "It") },
});
const router = new Router().openapi(whoami, async (c) => c.json({ ip: c.var.call.ip }, 200));

/**
 * Returns a function that reports the client address behind these trusted proxies; the test itself connects from
 * 127.0.0.1.
 */
function behind(trustProxy: string | null) {
  const url = serveRoutes(t.running, router, { trustProxy });
  return async (...forwarded: string[]) => {
    const lines = forwarded.map((value) => `X-Forwarded-For: ${value}\r\n`).join("");
    const [response] = await sendRaw(url, `GET /api/whoami HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
    return JSON.parse(response?.body ?? "").ip;
  };
}

test("without TRUST_PROXY the client address is that of the socket", async () => {
  const client = behind(null);
  expect(await client()).toBe("127.0.0.1");
  expect(await client("1.2.3.4")).toBe("127.0.0.1");
});

test("with a hop count in TRUST_PROXY the client address is the one that the outermost of these proxies saw", async () => {
  const one = behind("1");
  expect(await one("9.9.9.9, 1.2.3.4")).toBe("1.2.3.4");
  const two = behind("2");
  expect(await two("6.6.6.6, 9.9.9.9, 1.2.3.4")).toBe("9.9.9.9");
  expect(await two("1.2.3.4")).toBe("1.2.3.4");
  expect(await two()).toBe("127.0.0.1");
});

test("with ranges in TRUST_PROXY the client address is the rightmost one that is not a proxy", async () => {
  const client = behind("127.0.0.1, 10.0.0.0/8, 2001:db8::/32");
  expect(await client("6.6.6.6, 1.2.3.4, 10.1.2.3")).toBe("1.2.3.4");
  expect(await client("6.6.6.6, 1.2.3.4, 2001:db8::5, 10.1.2.3")).toBe("1.2.3.4");
  expect(await client("6.6.6.6, 11.0.0.1")).toBe("11.0.0.1");
  expect(await client("10.0.0.9, 10.0.0.8")).toBe("10.0.0.9");
});

test("with ranges in TRUST_PROXY, X-Forwarded-For is ignored from a caller who is not a proxy", async () => {
  expect(await behind("10.0.0.0/8")("1.2.3.4")).toBe("127.0.0.1");
});

test("IPv4-mapped IPv6 addresses are matched and reported as IPv4", async () => {
  expect(await behind("127.0.0.1,10.0.0.0/8")("1.2.3.4, ::ffff:10.0.0.1")).toBe("1.2.3.4");
  expect(await behind("127.0.0.1,::ffff:10.0.0.0/104")("1.2.3.4, 10.0.0.1")).toBe("1.2.3.4");
  expect(await behind("1")("::ffff:1.2.3.4")).toBe("1.2.3.4");
  expect(await behind("1")("::ffff:0102:0304")).toBe("1.2.3.4");
  expect(
    clientAddressFrom("::ffff:10.0.0.1")("::ffff:10.0.0.1", new Headers({ "x-forwarded-for": "1.2.3.4" })),
  ).toBe("1.2.3.4");
});

test("several X-Forwarded-For headers are read as one", async () => {
  expect(await behind("1")("6.6.6.6", "1.2.3.4")).toBe("1.2.3.4");
  expect(await behind("2")("6.6.6.6", "1.2.3.4", "5.6.7.8")).toBe("1.2.3.4");
});

test("an entry of X-Forwarded-For that is no address is replaced by the address of the proxy that sent it", async () => {
  const garbage = [
    "",
    ",",
    "unknown",
    "_hidden",
    "1.2.3",
    "0x7f.1",
    "010.1.1.1",
    "1.2.3.4.5",
    "999.1.1.1",
    "<script>",
    "::g",
    "%",
    "1",
  ];
  const one = behind("1");
  for (const value of garbage) expect([value, await one(value)]).toEqual([value, "127.0.0.1"]);
  expect(await behind("2")("garbage, 1.2.3.4")).toBe("1.2.3.4");
});

test("a port and brackets are removed from a forwarded address", async () => {
  const client = behind("1");
  expect(await client("1.2.3.4:5678")).toBe("1.2.3.4");
  expect(await client("[2001:db8::1]:5678")).toBe("2001:db8::1");
  expect(await client("[2001:db8::1]")).toBe("2001:db8::1");
});

test("an IPv6 address has one canonical form, however it is written", async () => {
  const client = behind("1");
  for (const form of ["2001:DB8:0:0::1", "2001:0db8::0001", "2001:db8::1%eth0"])
    expect(await client(form)).toBe("2001:db8::1");
});

test("rate limits count IPv4 by address and IPv6 by its /64 prefix", () => {
  expect(throttleKey("1.2.3.4")).toBe("1.2.3.4");
  expect(throttleKey("2001:db8:1:2:3::4")).toBe("2001:db8:1:2::/64");
  expect(throttleKey("")).toBe("");
});

test("audit events record the client address from the trusted header", async () => {
  const service = await startService({ TRUST_PROXY: "1" });
  const headers = { "X-Forwarded-For": "6.6.6.6, 1.2.3.4", "Content-Type": "application/json" };
  const body = JSON.stringify({
    email: "nobody@example.com",
    password: "the password alone does not get past the second factor",
  });
  await sendRaw(service.url, request("POST /api/auth/login", headers, body));
  expect(await service.sql("SELECT ip FROM audit_events WHERE action = 'LOGIN_FAILED'")).toEqual([
    { ip: "1.2.3.4" },
  ]);
});
