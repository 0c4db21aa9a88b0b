import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { definitions } from "../../support/routes.ts";
import { startService, uniqueEmail } from "../../support/service.ts";

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
  const response = await call("login", from);
  expect(response.body.code).toBe("TOO_MANY_REQUESTS");
  expect(response.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
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

/** The routes whose successful calls do not count: those that somebody uses with a secret. */
const FAILURES_ONLY = [
  "acceptInvitation",
  "beginTwoFactorPasskey",
  "cancelEmailChange",
  "confirmEmailChange",
  "login",
  "previewInvitation",
  "resetPassword",
  "signInWithPasskey",
  "undoEmailChange",
  "verifyEmail",
  "verifyTwoFactor",
];
test("routes that somebody uses with a secret count only failed calls", () => {
  const counting = definitions.filter(({ throttle }) => throttle?.failuresPerIp !== undefined);
  expect(counting.map(({ operationId }) => operationId).sort()).toEqual(FAILURES_ONLY);
  expect(counting.filter(({ throttle }) => throttle?.perIp !== undefined)).toEqual([]);
});

test("many people behind one address sign in, one after the other and at once, and failures still count", async () => {
  const from = freshAddress();
  const people = await Promise.all(Array.from({ length: 12 }, () => t.person()));
  const signIn = async ({ account }: Caller, password = account.password) =>
    (await call("login", from, { email: account.email, password })).status;
  for (const person of people) expect(await signIn(person)).toBe(200);
  expect(await Promise.all(people.map((person) => signIn(person)))).toEqual(people.map(() => 200));

  const [first, second] = people as [Caller, Caller];
  for (let count = 0; count < 4; count += 1) {
    expect(await signIn(first, "not this password")).toBe(401);
    expect(await signIn(second)).toBe(200);
  }
  // One failure is left: of many wrong passwords at once, one is tried.
  const guesses = await Promise.all(people.slice(2).map((person) => signIn(person, "not this password")));
  expect(guesses.sort()).toEqual([401, ...new Array(guesses.length - 1).fill(429)]);
  expect(await signIn(second)).toBe(429);
});

test("a used link counts for nothing, a wrong one does", async () => {
  const from = freshAddress();
  for (let count = 0; count < 7; count += 1) {
    const email = uniqueEmail();
    const account = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
    expect((await call("register", freshAddress(), account)).status).toBe(202);
    const { token } = await t.linkTo(email, "/verify-email");
    expect((await call("verify-email", from, { token })).status).toBe(204);
  }
  const token = "A".repeat(43);
  const found: number[] = [];
  for (let count = 0; count < 6; count += 1) found.push((await call("verify-email", from, { token })).status);
  expect(found).toEqual([400, 400, 400, 400, 400, 429]);
});

test("successful calls of other routes count, so that the rate limit reveals nothing about accounts", async () => {
  const from = freshAddress();
  const body = { email: "nobody@example.com" };
  const found: number[] = [];
  for (let count = 0; count < 6; count += 1) found.push((await call("forgot-password", from, body)).status);
  expect(found).toEqual([202, 202, 202, 202, 202, 429]);
});

test("concurrent calls do not exceed the rate limit", async () => {
  const from = freshAddress();
  const responses = await Promise.all(Array.from({ length: 20 }, () => call("login", from)));
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(5);
});
