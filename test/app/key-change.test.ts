import { expect, test } from "bun:test";
import { Caller } from "../support/caller.ts";
import { type Instance, until } from "../support/cluster.ts";
import { runHere, spawnCommand } from "../support/commands.ts";
import type { Environment } from "../support/environment.ts";
import { startService, uniqueEmail } from "../support/service.ts";
import { type Factor, verify, withTwoFactor } from "../support/two-factor.ts";

/* Rotates every key as docs/operate/keys.md describes, on two instances under traffic that are replaced one at a time. */
const t = await startService();

const NEW: Environment = {
  JWT_SECRET: "another-jwt-secret-0123456789-0123456789",
  JOBS_ENCRYPTION_KEY: "another-jobs-key-0123456789-0123456789",
  TWO_FACTOR_ENCRYPTION_KEY: "another-two-factor-key-0123456789-0123",
};
const previous = (keys: Environment) =>
  Object.fromEntries(Object.entries(keys).map(([name, value]) => [`${name}_PREVIOUS`, value]));
const OLD = Object.fromEntries(Object.keys(NEW).map((name) => [name, t.environment[name]]));

/** The instances that receive traffic. */
const pool: Instance[] = [];
const ended: Instance[] = [];
const failures: string[] = [];
const registered: string[] = [];
let requests = 0;
/** The requests without a response yet. */
const pending = new Set<Promise<unknown>>();

const anyUrl = () => pool[Math.floor(Math.random() * pool.length)]?.url ?? "";
async function expectResponse(
  what: string,
  response: Promise<{ status: number; body: unknown }>,
  status: number,
) {
  pending.add(response);
  const { status: actual, body } = await response.finally(() => pending.delete(response));
  requests += 1;
  if (actual !== status) failures.push(`${what}: ${actual} ${JSON.stringify(body)}`);
}

/** Refreshes at one instance and uses the token at others. */
async function useTokens(person: Caller): Promise<void> {
  const browser = person.at(anyUrl());
  await expectResponse("refresh", browser.refresh(), 200);
  Object.assign(person, { accessToken: browser.accessToken, cookie: browser.cookie });
  for (let times = 0; times < 5; times += 1)
    await expectResponse("profile", person.at(anyUrl()).get("/api/profile"), 200);
}

async function causeJob(): Promise<void> {
  const email = uniqueEmail();
  registered.push(email);
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  await expectResponse("register", new Caller(anyUrl()).post("/api/auth/register", body), 202);
}

async function useSecondFactor(factor: Factor): Promise<void> {
  await factor.rewind();
  const browser = new Caller(anyUrl(), factor.person.account);
  const signIn = browser.login();
  await expectResponse("sign-in", signIn, 200);
  const { body } = await signIn;
  const code = { challengeToken: body.challengeToken, code: factor.code() };
  await expectResponse("second factor", verify(browser.at(anyUrl()), code), 200);
}

async function replaceInstances(overrides: Environment): Promise<void> {
  for (let index = 0; index < 2; index += 1) {
    const [fresh] = await t.cluster(1, overrides);
    if (fresh === undefined) throw new Error("No instance");
    const old = pool.shift();
    pool.push(fresh);
    if (old === undefined) continue;
    // Like a load balancer: the instance gets no new requests, and those that were sent arrive before it stops.
    await Promise.allSettled(pending);
    ended.push(old);
    await old.stop();
  }
}

test("rotating each key under traffic causes no failure, and the old keys are not needed afterwards", async () => {
  pool.push(...(await t.cluster(2)));
  const factors = [await withTwoFactor(t), await withTwoFactor(t)];
  const people = await Promise.all(Array.from({ length: 3 }, () => t.person()));
  let isOver = false;
  const repeat = async (work: () => Promise<void>, pauseMs: number) => {
    while (!isOver) {
      await work().catch((error) => failures.push(String(error)));
      await Bun.sleep(pauseMs);
    }
  };
  const traffic = [
    ...people.map((person) => repeat(() => useTokens(person), 20)),
    ...factors.map((factor) => repeat(() => useSecondFactor(factor), 200)),
    repeat(causeJob, 200),
  ];

  await replaceInstances(previous(NEW));
  await replaceInstances({ ...NEW, ...previous(OLD) });
  const rekeyed = await spawnCommand("rekey", [], { ...t.environment, ...NEW, ...previous(OLD) });
  expect([rekeyed.code, rekeyed.out]).toEqual([
    0,
    expect.stringContaining("two-factor secrets: 2 encrypted with the new key"),
  ]);
  await replaceInstances(NEW);
  isOver = true;
  await Promise.all(traffic);

  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(100);
  for (const email of registered) await untilMailed(email);
  const lines = [...pool, ...ended].flatMap((instance) => instance.log());
  expect(lines.filter((line) => line.includes("job failed") || line.includes("request failed"))).toEqual([]);
});

async function untilMailed(email: string): Promise<void> {
  await until(() => (t.inbox.mailsTo(email).length > 0 ? true : null), { seconds: 120 });
}

test("`bun run rekey` re-encrypts waiting and failed jobs, is idempotent, and reports jobs that no configured key can decrypt", async () => {
  const own = await startService();
  await Promise.all([own.unverifiedPerson(), own.unverifiedPerson(), own.unverifiedPerson()]);
  await own.sql(
    `UPDATE pgboss.job SET state = 'failed' WHERE id = (SELECT id FROM pgboss.job WHERE name = 'mail.send' LIMIT 1)`,
  );
  const run = async (environment: Environment) => {
    const { code, out, err } = await runHere("rekey", [], { ...own.environment, ...environment });
    return { code, lines: out + err };
  };
  const changed = { ...NEW, ...previous(OLD) };
  expect(await run(NEW)).toEqual({
    code: 1,
    lines: expect.stringContaining("jobs: 3 cannot be read by any key that is configured"),
  });
  expect(await run(changed)).toEqual({
    code: 0,
    lines:
      "two-factor secrets: 0 encrypted with the new key\nwebhook secrets: 0 encrypted with the new key\nconnection secrets: 0 encrypted with the new key\njobs: 3 encrypted with the new key\n",
  });
  expect((await run(changed)).lines).toContain("jobs: 0 encrypted with the new key");
  expect((await run(NEW)).code).toBe(0);
});
