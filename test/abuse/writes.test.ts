import { beforeAll, expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { holdOrganizationLock } from "../support/locks.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { expectTooMany } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService } from "../support/service.ts";

/* Writes over a limit wait without a database connection, so that one account or organization cannot block others. */

/** Four connections, as many as two accounts may use for writes. */
const t = await startService({ DATABASE_POOL_SIZE: "4" });
let org: Organization;
let neighbour: Organization;

beforeAll(async () => {
  org = await createOrganization(t);
  neighbour = await createOrganization(t);
});

/** Sends a write that takes the organization's lock. */
const write = (caller: Caller, headers: Record<string, string> = {}) =>
  caller.patch("/api/organization", { name: `Acme ${crypto.randomUUID()}` }, { headers });

const READ_ALL = "/api/notifications/read-all";

/** Counts the transactions that wait for an advisory lock. */
const waiting = async () =>
  (
    await t.sql(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%pg_advisory_xact_lock%'`,
    )
  ).length;

/** Starts writes; resolves when `refusedCount` of them have been refused. */
async function startWrites(caller: Caller, count: number, refusedCount: number) {
  const refused: ApiResponse[] = [];
  const responses = race(count, async () => {
    const response = await write(caller);
    if (response.status === 429) refused.push(response);
    return response;
  });
  await until(() => (refused.length >= refusedCount ? true : null));
  return { refused, responses };
}

const succeeded = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 200).length;

test("an account's writes use two connections, 64 more wait without a connection, and further ones are 429", async () => {
  const held = await holdOrganizationLock(t, org.id);
  const { refused, responses } = await startWrites(org.admin, 80, 14);
  refused.forEach(expectTooMany);
  await held.waiting(2);
  expect(await waiting()).toBe(2);
  // Writes that are a single statement, and writes outside the organization, count too.
  expectTooMany(await org.admin.post(READ_ALL));
  expectTooMany(await org.admin.patch("/api/profile", { firstName: "Ada" }));
  // The limit is checked before the body is read.
  expectTooMany(await org.admin.post("/api/todos", undefined, { raw: "{" }));
  expectStatus(await org.admin.get("/api/profile"), 200);
  expectStatus(await write(neighbour.admin), 200);
  expectStatus(await neighbour.admin.post(READ_ALL), 204);
  await held.release();
  expect(succeeded(await responses)).toBe(66);
  expectStatus(await write(org.admin), 200);
});

test("an organization's writes use at most four connections, over all its users", async () => {
  const admins = await race(3, () => org.member({ role: "ORG_ADMIN" }));
  const platformAdmin = await t.platformAdmin();
  const held = await holdOrganizationLock(t, org.id);
  const responses = race(6, (index) => write(admins[index % 3] as Caller));
  const named = write(platformAdmin, { "x-organization-id": org.id });
  await held.waiting(4);
  // Signing in takes longer than another write would need to reach the database.
  expectStatus(await neighbour.admin.login(), 200);
  expect(await waiting()).toBe(4);
  await held.release();
  expect(succeeded([...(await responses), await named])).toBe(7);
});

test("at most 128 writes of an organization wait, and one more of each person who has none waiting", async () => {
  const admins = await race(3, () => org.member({ role: "ORG_ADMIN" }));
  const held = await holdOrganizationLock(t, org.id);
  // Each of the two has as many as a person may have: only then a further one is refused.
  const [one, two] = await Promise.all(admins.slice(0, 2).map((admin) => startWrites(admin, 70, 4)));
  await held.waiting(4);
  // On a busy machine the second of these may arrive first, and then waits instead of the first.
  const further: ReturnType<typeof write>[] = [];
  const last = await until(async () => {
    const sent = write(admins[2] as Caller);
    further.push(sent);
    const response = await Promise.race([sent, Bun.sleep(1_500)]);
    return response?.status === 429 ? response : null;
  });
  expectTooMany(last);
  expect(further.length).toBeGreaterThan(1);
  await held.release();
  const responses = await Promise.all([one?.responses, two?.responses, Promise.all(further)]);
  expect(succeeded(responses.flatMap((some) => some ?? []))).toBe(133);
});

test("sign-in, refresh and switching work while writes use all other connections", async () => {
  const other = await createOrganization(t);
  const person = await org.member();
  await neighbour.add(person, { role: "MEMBER" });
  const locks = await Promise.all([org, other].map(({ id }) => holdOrganizationLock(t, id)));
  const admins = await race(2, () => org.member({ role: "ORG_ADMIN" }));
  const more = await race(2, () => other.member({ role: "ORG_ADMIN" }));
  const responses = race(8, (index) => write([...admins, ...more][index % 4] as Caller));
  await until(async () => ((await waiting()) === 4 ? true : null));
  expectStatus(await person.login(), 200);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.post("/api/auth/organization", { organizationId: neighbour.id }), 200);
  expectStatus(await person.get("/api/todos"), 200);
  expect(await waiting()).toBe(4);
  for (const lock of locks) await lock.release();
  expect(succeeded(await responses)).toBe(8);
});

test("a write whose client disconnects while waiting frees its slot", async () => {
  const held = await holdOrganizationLock(t, org.id);
  const running = race(2, () => write(org.admin));
  await held.waiting(2);
  const leaving = new AbortController();
  const request = {
    method: "PATCH",
    headers: { authorization: `Bearer ${org.admin.accessToken}`, "content-type": "application/json" },
    body: '{"name":"Acme"}',
    signal: leaving.signal,
  };
  const gone = race(64, () => fetch(`${t.url}/api/organization`, request).catch(() => null));
  let probes = 0;
  await until(async () => {
    probes += 1;
    const response = await Promise.race([org.admin.post(READ_ALL), Bun.sleep(1_500)]);
    return response?.status === 429 ? true : null;
  });
  leaving.abort();
  // A probe that waits may have taken the place of one of them.
  const refused = (await gone).filter((response) => response !== null);
  expect(refused.map(({ status }) => status)).toEqual(Array(refused.length).fill(429));
  expect(refused.length).toBeLessThan(Math.min(probes + 1, 34));
  const later = race(30, () => write(org.admin));
  await Bun.sleep(200);
  await held.release();
  expect(succeeded([...(await running), ...(await later)])).toBe(32);
});
