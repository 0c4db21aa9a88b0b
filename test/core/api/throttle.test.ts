import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { startService } from "../../support/service.ts";

const t = await startService({ THROTTLE_LIMIT: undefined, TRUST_PROXY: "1" });

const ROUTES = [
  "register",
  "login",
  "verify-email",
  "resend-verification",
  "forgot-password",
  "reset-password",
];
let addresses = 0;
/** Returns a client address that no other test uses. */
const freshAddress = () => `198.51.100.${++addresses}`;
const call = (route: string, from: string, body: unknown = {}, caller: Caller = t.anonymous()) =>
  caller.post(`/api/auth/${route}`, body, { headers: { "x-forwarded-for": from } });

async function statuses(route: string, sources: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const from of sources) found.push((await call(route, from)).status);
  return found;
}

test("by default an address may make five calls a minute", async () => {
  expect(await statuses("login", new Array(7).fill(freshAddress()))).toEqual([
    400, 400, 400, 400, 400, 429, 429,
  ]);
});

test("a 429 has a Retry-After header in seconds", async () => {
  const from = freshAddress();
  await statuses("login", new Array(5).fill(from));
  const answer = await call("login", from);
  expect(answer.body.code).toBe("TOO_MANY_REQUESTS");
  expect(answer.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
});

test("the rate limit per address counts each route separately", async () => {
  const from = freshAddress();
  for (const route of ROUTES)
    expect([route, await statuses(route, new Array(6).fill(from))]).toEqual([
      route,
      [400, 400, 400, 400, 400, 429],
    ]);
});

test("the rate limit counts each address separately", async () => {
  expect(await statuses("login", Array.from({ length: 8 }, freshAddress))).toEqual(new Array(8).fill(400));
});

test("the rate limit counts an IPv6 address by its /64 prefix", async () => {
  const same = [
    "2001:db8:1:2::1",
    "2001:db8:1:2:ffff::",
    "2001:DB8:1:2:3:4:5:6",
    "2001:db8:1:2::9",
    "2001:db8:1:2::a",
  ];
  expect(await statuses("login", same)).toEqual(new Array(5).fill(400));
  expect(await statuses("login", ["2001:db8:1:2::b", "2001:db8:1:3::1"])).toEqual([429, 400]);
});

test("the rate limit counts an IPv4-mapped IPv6 address as its IPv4 address", async () => {
  const from = freshAddress();
  expect(
    await statuses("login", [from, `::ffff:${from}`, from, `::FFFF:${from}`, from, `::ffff:${from}`]),
  ).toEqual([400, 400, 400, 400, 400, 429]);
});

test("refresh, logout and health checks have no rate limit", async () => {
  const from = freshAddress();
  for (const route of ["refresh", "logout"])
    expect(await statuses(route, new Array(8).fill(from))).toEqual(new Array(8).fill(401));
  for (let count = 0; count < 8; count += 1)
    expect(
      (await t.anonymous().get("/api/health/live", { headers: { "x-forwarded-for": from } })).status,
    ).toBe(200);
});

test("successful calls also count against the rate limit, so that it reveals nothing about accounts", async () => {
  const from = freshAddress();
  const body = { email: "nobody@example.com" };
  const found: number[] = [];
  for (let count = 0; count < 6; count += 1) found.push((await call("forgot-password", from, body)).status);
  expect(found).toEqual([202, 202, 202, 202, 202, 429]);
});

test("concurrent calls do not exceed the rate limit", async () => {
  const from = freshAddress();
  const answers = await Promise.all(Array.from({ length: 20 }, () => call("login", from)));
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
});
