import { expect, test } from "bun:test";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

/*
 * Operations that must take equally long, so that timing reveals nothing about accounts. They are measured
 * alternately, so that other load on the machine affects both.
 */
const t = await startService();

const SAMPLES = 10;
const MOST_SAMPLES = 240;

/**
 * Returns how many times longer `one` takes than `other`, by the fastest sample of each. A busy machine slows samples
 * down but never speeds them up, so more samples converge.
 */
async function ratio(
  one: (sample: number) => Promise<unknown>,
  other: (sample: number) => Promise<unknown>,
  isSettled = (found: number) => found > 0.5 && found < 2,
) {
  const quickest: [number, number] = [Infinity, Infinity];
  const kinds = [one, other] as const;
  const found = () => quickest[0] / quickest[1];
  for (let sample = -5; sample < SAMPLES || (sample < MOST_SAMPLES && !isSettled(found())); sample += 1) {
    for (const kind of sample % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const started = performance.now();
      await kinds[kind](sample);
      if (sample >= 0) quickest[kind] = Math.min(quickest[kind], performance.now() - started);
    }
  }
  return found();
}

const isFarLess = (found: number) => found < 0.5;

const post = (path: string, body: unknown) => t.anonymous().post(path, body);

test("a sign-in takes as long for an unknown email as for a known one, with or without a password", async () => {
  // The accounts are registered through the API, so that their hashes have the cost of production.
  const person = await t.registeredPerson();
  const passwordless = await t.registeredPerson();
  await t.sql("UPDATE users SET password_hash = NULL WHERE email = $1", [passwordless.email]);
  // Failed sign-ins are deleted, because after 20 of them a sign-in is rejected before its password is hashed.
  const login = async (email: string) => {
    await t.sql("DELETE FROM sign_in_failures");
    await post("/api/auth/login", {
      email,
      password: "the password alone does not get past the second factor",
    });
  };
  const [known, none] = [() => login(person.email), () => login(passwordless.email)];
  expect(await ratio(() => login(uniqueEmail()), known)).toBeWithin(0.5, 2);
  expect(await ratio(none, known)).toBeWithin(0.5, 2);
});

for (const path of ["/api/auth/resend-verification", "/api/auth/forgot-password"]) {
  test(`${path} takes as long for an unknown email as for a known one`, async () => {
    const person = await t.unverifiedPerson();
    const ask = (email: string) => post(path, { email });
    expect(
      await ratio(
        () => ask(uniqueEmail()),
        () => ask(person.email),
      ),
    ).toBeWithin(0.5, 2);
    await t.drain();
  });
}

test("an invalid password reset link is refused without hashing the password", async () => {
  const newPassword = "a new blue yonder";
  const dead = () => post("/api/auth/reset-password", { token: "never issued", newPassword });
  const hashing = async () =>
    expectStatus(await post("/api/auth/login", { email: uniqueEmail(), password: newPassword }), 401);
  expect(await ratio(dead, hashing, isFarLess)).toBeLessThan(0.5);
});

test("registration with a taken email is refused without hashing the password", async () => {
  const person = await t.person();
  const names = { firstName: "Ada", lastName: "Lovelace" };
  const taken = () => post("/api/auth/register", { ...person.account, ...names });
  const free = () => post("/api/auth/register", { ...person.account, ...names, email: uniqueEmail() });
  expect(await ratio(taken, free, (found) => found < 0.6)).toBeLessThan(0.6);
  await t.drain();
});
