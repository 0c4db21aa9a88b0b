import { afterEach, expect, test } from "bun:test";
import { createCipher } from "../../../src/platform/crypto.ts";
import { type Instance, until } from "../../support/cluster.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { challenge, type Factor, verify, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

/*
 * Secrets and jobs that were encrypted with a key which is no longer configured: the service reports them at its
 * start, never treats them as a wrong code, and reads them again when the old key is configured.
 */
const t = await startService();

const line = (instance: Instance, words: string) =>
  until(() => instance.log().find((one) => one.includes(words)) ?? null).then((found) => JSON.parse(found));

/** Starts an instance that stops with the test, so that it does not run the jobs of the next test. */
async function withOtherKey(overrides: Record<string, string>): Promise<Instance> {
  const [instance] = await t.cluster(1, overrides);
  if (instance === undefined) throw new Error("No instance");
  started.push(instance);
  return instance;
}
const started: Instance[] = [];
afterEach(async () => {
  for (const instance of started.splice(0)) await instance.stop();
});
const OTHER = { TWO_FACTOR_ENCRYPTION_KEY: "another-two-factor-key-0123456789-0123" };
const OTHER_JOBS = { JOBS_ENCRYPTION_KEY: "another-jobs-key-0123456789-0123456789" };

test("two-factor secrets encrypted with another key are reported at the start, and a code is 500, not a wrong code", async () => {
  const factor = await withTwoFactor(t);
  const { person, code, recoveryCodes } = factor;
  const off = await withTwoFactor(t);
  const { password } = off.person.account;
  expectStatus(
    await off.person.post("/api/profile/2fa/disable", { password, code: off.recoveryCodes[0] }),
    204,
  );
  const instance = await withOtherKey(OTHER);
  const report = await line(
    instance,
    "two-factor secrets were encrypted with another TWO_FACTOR_ENCRYPTION_KEY",
  );
  expect(report).toMatchObject({ level: "error", accounts: 1 });

  const { browser, challengeToken } = await challenge(person, instance.url);
  for (const one of [code(), wrongCode(factor)])
    expect(outcome(await verify(browser, { challengeToken, code: one }))).toBe("500 INTERNAL_ERROR");
  const logged = await line(instance, "request failed");
  expect(JSON.stringify(logged)).toContain(
    `The two-factor secret of user ${idOf(person)} was encrypted with another TWO_FACTOR_ENCRYPTION_KEY`,
  );
  const profile = person.at(instance.url);
  expect(outcome(await profile.post("/api/profile/2fa/recovery-codes", { code: code() }))).toBe(
    "500 INTERNAL_ERROR",
  );
  expect(
    await t.sql("SELECT FROM failed_attempts WHERE user_id = $1 AND place = 'SIGN_IN'", [idOf(person)]),
  ).toEqual([]);

  // Recovery codes are not encrypted, and an instance with the right key still accepts codes.
  expectStatus(await verify(browser, { challengeToken, recoveryCode: recoveryCodes[0] }), 200);
  const known = await challenge(person);
  expectStatus(await verify(known.browser, { challengeToken: known.challengeToken, code: code() }), 200);
});

test("without the encryption key, a recovery code or a platform administrator can disable the second factor", async () => {
  const [own, reset] = [await withTwoFactor(t), await withTwoFactor(t)];
  const instance = await withOtherKey(OTHER);
  const { password } = own.person.account;
  const profile = own.person.at(instance.url);
  const code = own.recoveryCodes[0];
  expectStatus(await profile.post("/api/profile/2fa/disable", { password, code }), 204);
  const admin = (await t.platformAdmin()).at(instance.url);
  expectStatus(await admin.delete(`/api/users/${idOf(reset.person)}/2fa`), 204);
  for (const { person } of [own, reset]) {
    const anew = await withTwoFactor(t, person.at(instance.url));
    const { browser, challengeToken } = await challenge(person, instance.url);
    expectStatus(await verify(browser, { challengeToken, code: anew.code() }), 200);
  }
});

test("a two-factor secret that was modified, or copied to another user, cannot be decrypted", async () => {
  const [one, other] = [await withTwoFactor(t), await withTwoFactor(t)];
  const guess = async ({ person }: Factor, code: string) => {
    const { browser, challengeToken } = await challenge(person);
    return outcome(await verify(browser, { challengeToken, code }));
  };
  await t.sql(
    `UPDATE two_factor_secrets SET sealed_secret = (SELECT sealed_secret FROM two_factor_secrets WHERE user_id = $2)
     WHERE user_id = $1`,
    [idOf(one.person), idOf(other.person)],
  );
  expect(await guess(one, other.code())).toBe("500 INTERNAL_ERROR");
  await t.sql(
    "UPDATE two_factor_secrets SET sealed_secret = overlay(sealed_secret placing 'AAAA' from 20) WHERE user_id = $1",
    [idOf(other.person)],
  );
  expect(await guess(other, other.code())).toBe("500 INTERNAL_ERROR");
});

test("one configured secret derives independent keys for different purposes", () => {
  const secret = "the same secret for both 0123456789";
  const [jobs, twoFactor] = [createCipher(secret, "jobs"), createCipher(secret, "two-factor")];
  expect(jobs.keyId).not.toBe(twoFactor.keyId);
  expect(twoFactor.decrypt(twoFactor.encrypt({ a: 1 }))).toEqual({ a: 1 });
  expect(() => twoFactor.decrypt(jobs.encrypt({ a: 1 }))).toThrow("Encrypted with another key");
  const renamed = twoFactor.keyId + jobs.encrypt({ a: 1 }).slice(jobs.keyId.length);
  expect(() => twoFactor.decrypt(renamed)).toThrow();
});

test("waiting jobs encrypted with another key are reported at the start, are kept after their last attempt, and run with the old key", async () => {
  const person = await t.unverifiedPerson();
  const waiting = "SELECT FROM pgboss.job WHERE state IN ('created', 'retry', 'active') AND data ? 'sealed'";
  const { length: count } = await t.sql(waiting);
  // A scheduled job has no encrypted payload, so it is not counted.
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('accounts.pseudonymise')");
  const instance = await withOtherKey(OTHER_JOBS);
  const report = await line(instance, "jobs wait that were encrypted with another JOBS_ENCRYPTION_KEY");
  expect(report.level).toBe("error");
  expect(count).toBeGreaterThan(0);
  expect(report.count).toBe(count);
  await until(async () => {
    await t.sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    return (await t.sql(waiting)).length === 0 ? true : null;
  });
  expect(JSON.stringify(await line(instance, "failed on its last attempt"))).toContain(
    "Encrypted with another key than the one that is configured",
  );
  await instance.stop();
  started.length = 0;
  expect(t.inbox.mailsTo(person.email)).toEqual([]);

  // The steps of docs/operate/keys.md.
  await t.sql(
    `UPDATE pgboss.job SET state = 'retry', retry_count = 0, start_after = now(), completed_on = NULL
     WHERE name = 'mail.send' AND state = 'failed' AND completed_on BETWEEN now() - interval '1 hour' AND now()`,
  );
  expect(await t.mailTo(person.email)).toHaveLength(1);
});
