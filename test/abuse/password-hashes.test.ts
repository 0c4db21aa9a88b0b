import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { timed } from "../support/outage.ts";
import { outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";

/*
 * A hash costs much on purpose, so they wait in line, and a line can be filled. Sign-ins are timed beside the flood and
 * without it, in the same run.
 */
const t = await startService();
const [instance] = await t.cluster(1);
const url = instance?.url ?? t.url;

/** Most users of tests have a cheap hash; the hashes that flood the queue here must cost as much as in production. */
const hash = await t.running.app.hasher.hash("wide blue yonder");
async function costlyPerson(): Promise<Caller> {
  const person = await t.person();
  await t.sql("UPDATE users SET password_hash = $1 WHERE email = $2", [hash, person.email]);
  return person;
}

const setUp = (person: Caller) =>
  person.at(url).post("/api/profile/2fa/setup", { password: person.account.password });
const login = ({ account }: Caller) => timed(t.anonymous(url).post("/api/auth/login", account));

/** How long sign-ins of these people take, one after the other, and that they are let in. */
async function signInMs(people: Caller[]): Promise<number> {
  const times: number[] = [];
  for (const person of people) times.push(expectSignedIn(await login(person)).ms);
  return times.sort((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
}

function expectSignedIn<A extends ApiResponse>(answer: A): A {
  expectStatus(answer, 200);
  return answer;
}

const counted = (answers: ApiResponse[]) =>
  Object.fromEntries(
    Map.groupBy(answers.map(outcome), (one) => one)
      .entries()
      .map(([one, all]) => [one, all.length]),
  );

/** A 429 says when to come again. */
function expectRetry(answers: ApiResponse[]) {
  for (const answer of answers.filter(({ status }) => status !== 200))
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

const neighbours = await Promise.all(Array.from({ length: 9 }, costlyPerson));

test("300 concurrent confirmations of one account do not affect the sign-ins of others", async () => {
  const person = await costlyPerson();
  await signInMs(neighbours);
  const quiet = await signInMs(neighbours);
  const flood = race(300, () => setUp(person));
  const beside = await signInMs(neighbours);
  const answers = await flood;
  const counts = counted(answers);
  console.log("sign-ins quiet and beside the flood, ms", quiet, beside, counts);
  expect(Object.keys(counts).sort()).toEqual(["200", "429 TOO_MANY_REQUESTS"]);
  expect(counts["200"]).toBeLessThanOrEqual(10);
  expectRetry(answers);
  expect(beside / quiet).toBeLessThan(20);
});

test("confirmations of sixty accounts leave slots and turns to sign-ins", async () => {
  const people = await Promise.all(Array.from({ length: 60 }, costlyPerson));
  const quiet = await signInMs(neighbours);
  const flood = race(300, (index) => setUp(people[index % people.length] as Caller));
  const beside = await signInMs(neighbours);
  const answers = await flood;
  const counts = counted(answers);
  console.log("sign-ins quiet and beside the flood, ms", quiet, beside, counts);
  expect(counts["200"]).toBeGreaterThan(0);
  for (const { status } of answers) expect([200, 429, 503]).toContain(status);
  expectRetry(answers);
  expect(beside / quiet).toBeLessThan(20);
});

test("correct confirmations count like wrong ones towards the ten in 15 minutes, over all routes", async () => {
  const person = await costlyPerson();
  const { password } = person.account;
  const wrong = () => person.post("/api/profile/2fa/setup", { password: "wrong" });
  const answers: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    answers.push(outcome(await setUp(person)), outcome(await wrong()));
  }
  expect(answers).toEqual(new Array(5).fill(["200", "400 INVALID_CREDENTIALS"]).flat());
  const refused = [
    await setUp(person),
    await person.post("/api/profile/password", {
      currentPassword: password,
      newPassword: "a new blue yonder",
    }),
    await person.post("/api/profile/delete", { password }),
  ];
  for (const answer of refused) {
    expect(outcome(answer)).toBe("429 TOO_MANY_REQUESTS");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(14 * 60);
  }
  expectStatus(await login(person), 200);
});

test.each(["known", "unknown"])(
  "of one %s email only a few sign-ins wait, and the others get an error to retry",
  async (kind) => {
    const person = await costlyPerson();
    const account =
      kind === "known" ? person.account : { email: uniqueEmail(), password: "wide blue yonder" };
    const usual = kind === "known" ? "200" : "401 INVALID_CREDENTIALS";
    const signIn = () => t.anonymous(url).post("/api/auth/login", account);
    const answers = await race(60, signIn);
    const counts = counted(answers);
    expect(Object.keys(counts).sort()).toEqual([usual, "429 TOO_MANY_REQUESTS"].sort());
    for (const answer of answers.filter(({ status }) => status === 429))
      expect(answer.headers.get("retry-after")).toBe("1");
    expect(outcome(await signIn())).toBe(usual);
  },
  60_000,
);

test("registrations with one email have the same limit on waiting", async () => {
  const email = uniqueEmail();
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  const answers = await race(60, () => t.anonymous(url).post("/api/auth/register", body));
  const counts = counted(answers);
  expect(counts["202"]).toBe(1);
  expect(counts["429 TOO_MANY_REQUESTS"]).toBeGreaterThan(0);
});
