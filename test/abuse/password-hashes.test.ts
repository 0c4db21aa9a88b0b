import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { timed } from "../support/outage.ts";
import { outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";

/*
 * Password hashing is expensive on purpose, so hashes are queued, and an attacker can fill the queue. Sign-ins are
 * timed with and without such a flood, in the same run.
 */
const t = await startService();
const [instance] = await t.cluster(1);
const url = instance?.url ?? t.url;

/** A password hash at production cost. Other test accounts have cheap hashes, but these must fill the queue. */
const hash = await t.running.app.hasher.hash("wide blue yonder");
async function costlyPerson(): Promise<Caller> {
  const person = await t.person();
  await t.sql("UPDATE users SET password_hash = $1 WHERE email = $2", [hash, person.email]);
  return person;
}

const setUp = (person: Caller) =>
  person.at(url).post("/api/profile/2fa/setup", { password: person.account.password });
const login = ({ account }: Caller) => timed(t.anonymous(url).post("/api/auth/login", account));

/** Signs in as each of these users in turn; returns the median time in milliseconds. */
async function signInMs(people: Caller[]): Promise<number> {
  const times: number[] = [];
  for (const person of people) times.push(expectSignedIn(await login(person)).ms);
  return times.sort((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
}

function expectSignedIn<A extends ApiResponse>(response: A): A {
  expectStatus(response, 200);
  return response;
}

const counted = (responses: ApiResponse[]) =>
  Object.fromEntries(
    Map.groupBy(responses.map(outcome), (one) => one)
      .entries()
      .map(([one, all]) => [one, all.length]),
  );

/** Expects that every refused request has a Retry-After header. */
function expectRetry(responses: ApiResponse[]) {
  for (const response of responses.filter(({ status }) => status !== 200))
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
}

const neighbours = await Promise.all(Array.from({ length: 9 }, costlyPerson));

test("300 concurrent re-authentications of one account do not block the sign-ins of others", async () => {
  const person = await costlyPerson();
  await signInMs(neighbours);
  const quiet = await signInMs(neighbours);
  const flood = race(300, () => setUp(person));
  const beside = await signInMs(neighbours);
  const responses = await flood;
  const counts = counted(responses);
  console.log("sign-ins quiet and beside the flood, ms", quiet, beside, counts);
  expect(Object.keys(counts).sort()).toEqual(["200", "429 TOO_MANY_REQUESTS"]);
  expect(counts["200"]).toBeLessThanOrEqual(10);
  expectRetry(responses);
  expect(beside / quiet).toBeLessThan(20);
});

test("concurrent re-authentications of sixty accounts leave hashing slots for sign-ins", async () => {
  const people = await Promise.all(Array.from({ length: 60 }, costlyPerson));
  const quiet = await signInMs(neighbours);
  const flood = race(300, (index) => setUp(people[index % people.length] as Caller));
  const beside = await signInMs(neighbours);
  const responses = await flood;
  const counts = counted(responses);
  console.log("sign-ins quiet and beside the flood, ms", quiet, beside, counts);
  expect(counts["200"]).toBeGreaterThan(0);
  for (const { status } of responses) expect([200, 429, 503]).toContain(status);
  expectRetry(responses);
  expect(beside / quiet).toBeLessThan(20);
});

test("correct re-authentications count like wrong ones towards the limit of ten in 15 minutes over all routes", async () => {
  const person = await costlyPerson();
  const { password } = person.account;
  const wrong = () => person.post("/api/profile/2fa/setup", { password: "wrong" });
  const responses: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    responses.push(outcome(await setUp(person)), outcome(await wrong()));
  }
  expect(responses).toEqual(new Array(5).fill(["200", "400 INVALID_CREDENTIALS"]).flat());
  const refused = [
    await setUp(person),
    await person.post("/api/profile/password", {
      currentPassword: password,
      newPassword: "a new blue yonder",
    }),
    await person.post("/api/profile/delete", { password }),
  ];
  for (const response of refused) {
    expect(outcome(response)).toBe("429 TOO_MANY_REQUESTS");
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(14 * 60);
  }
  expectStatus(await login(person), 200);
});

test.each(["known", "unknown"])(
  "of concurrent sign-ins with one %s email only a few wait for hashing; the others are 429",
  async (kind) => {
    const person = await costlyPerson();
    const account =
      kind === "known" ? person.account : { email: uniqueEmail(), password: "wide blue yonder" };
    const expected = kind === "known" ? "200" : "401 INVALID_CREDENTIALS";
    const signIn = () => t.anonymous(url).post("/api/auth/login", account);
    const responses = await race(60, signIn);
    const counts = counted(responses);
    expect(Object.keys(counts).sort()).toEqual([expected, "429 TOO_MANY_REQUESTS"].sort());
    for (const response of responses.filter(({ status }) => status === 429))
      expect(response.headers.get("retry-after")).toBe("1");
    expect(outcome(await signIn())).toBe(expected);
  },
);

test("concurrent registrations with one email have the same limit on waiting for hashing", async () => {
  // A registration that arrives after the first has been stored is 409, so a round may be over too early.
  await until(async () => {
    const body = {
      email: uniqueEmail(),
      password: "wide blue yonder",
      firstName: "Ada",
      lastName: "Lovelace",
    };
    const counts = counted(await race(60, () => t.anonymous(url).post("/api/auth/register", body)));
    const { "202": stored, "409 EMAIL_TAKEN": taken = 0, "429 TOO_MANY_REQUESTS": refused = 0 } = counts;
    expect([stored, taken + refused]).toEqual([1, 59]);
    return refused > 0 ? true : null;
  });
});
