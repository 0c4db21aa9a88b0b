import { expect, test } from "bun:test";
import { standardCost } from "../../../src/platform/passwords/argon2.ts";
import { parseHash } from "../../../src/platform/passwords/phc.ts";
import { until } from "../../support/cluster.ts";
import { ROUNDS, race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* The password hashes of the tests' accounts have a lower cost than the service's standard, so sign-ins rehash them. */
const t = await startService({}, { keepsHashes: false });
const RIGHT = "wide blue yonder";

async function hashOf(email: string): Promise<string> {
  const [row] = await t.sql<{ hash: string }>("SELECT password_hash AS hash FROM users WHERE email = $1", [
    email,
  ]);
  return row?.hash ?? "";
}
const renewed = (email: string) =>
  until(async () => {
    const hash = await hashOf(email);
    return parseHash(hash)?.cost.memoryKiB === standardCost.memoryKiB ? hash : null;
  });

test("a sign-in rehashes a password whose hash has another cost once, and the password stays valid", async () => {
  const person = await t.person();
  const hash = await renewed(person.email);
  expect(parseHash(hash)?.cost).toEqual(standardCost);
  expectStatus(await person.login(), 200);
  expect((await person.login("not this one")).status).toBe(401);
  expect(await hashOf(person.email)).toBe(hash);
});

test("sign-ins that run while the password is rehashed succeed", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await t.person();
    // The test sends only two sign-ins: a third one of the email that waits for its password hash is refused (rules
    // 23.4).
    const statuses = await race(2, async (index) => {
      await Bun.sleep(index * 10);
      return (await t.anonymous().post("/api/auth/login", person.account)).status;
    });
    expect(statuses).toEqual([200, 200]);
    await renewed(person.email);
  }
});

test("a password confirmation that began before the rehashing succeeds after it", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await t.person();
    const { password } = person.account;
    const [setUp] = await Promise.all([
      person.post("/api/profile/2fa/setup", { password }),
      renewed(person.email),
    ]);
    expectStatus(setUp, 200);
  }
});

test("a sign-in with a wrong password does not rehash", async () => {
  const { email } = await t.unverifiedPerson();
  const { password_hash: cheap } = (await t.sql("SELECT password_hash FROM users LIMIT 1"))[0] as {
    password_hash: string;
  };
  await t.sql("UPDATE users SET password_hash = $1 WHERE email = $2", [cheap, email]);
  const before = await hashOf(email);
  for (const password of ["not this one", RIGHT])
    expect([401, 403]).toContain((await t.anonymous().post("/api/auth/login", { email, password })).status);
  expect(await hashOf(email)).toBe(before);
});
