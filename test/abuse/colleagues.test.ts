import { beforeAll, expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { holdOrganizationLock } from "../support/locks.ts";
import { createMachine, type Machine } from "../support/machines.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService } from "../support/service.ts";
import { holdTable } from "../support/tables.ts";

/*
 * A unit administrator with service accounts cannot stop the lists and writes of others in the same organization. A
 * service account counts for the person who created its key.
 */

const t = await startService();
const UNITS = 2_000;
const TODOS = "/api/todos/all?completed=false";
let org: Organization;
let unit: string;
let attacker: Caller;
let callers: Caller[];

beforeAll(async () => {
  org = await createOrganization(t);
  unit = await org.unit("Sales");
  await t.sql(
    "INSERT INTO units (organization_id, parent_id, name) SELECT $1, $2, 'Unit ' || n FROM generate_series(1, $3::int) n",
    [org.id, unit, UNITS],
  );
  await t.sql("ANALYZE units");
  attacker = await org.member({ role: "UNIT_ADMIN", unit });
  const machines = await race(3, () => createMachine({ admin: attacker }, { role: "UNIT_ADMIN", unit }));
  callers = [attacker, ...machines.map(({ caller }: Machine) => caller)];
});

const succeeded = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 200).length;

test("a person and their service accounts run two lists at once together, so others of the organization have a place", async () => {
  const lock = await holdTable(t, "todos");
  const flood = race(20, (index) => (callers[index % 4] as Caller).get(TODOS));
  await lock.waiting(2);
  for (let count = 0; count < 5; count += 1) expectStatus(await org.admin.get("/api/members"), 200);
  await lock.waiting(2);
  await lock.release();
  expect(succeeded(await flood)).toBe(20);
});

test("the lists of one person wait for one list of each other person at most, not for all that arrived before", async () => {
  const [second, third] = await race(2, () => org.member({ role: "UNIT_ADMIN", unit }));
  const lock = await holdTable(t, "todos");
  const order: string[] = [];
  const list = async (caller: Caller, name: string) => {
    expectStatus(await caller.get(TODOS), 200);
    order.push(name);
  };
  const flood = [
    race(16, (index) => list(callers[index % 2] as Caller, "one")),
    race(16, () => list(second as Caller, "two")),
  ];
  await lock.waiting(3);
  const late = list(third as Caller, "three");
  // Its request has arrived when a later one, which needs no list, gets its response.
  expectStatus(await (third as Caller).get("/api/profile"), 200);
  await lock.release();
  await late;
  // Three lists were running, and each of the two others has one turn before.
  expect(order.length).toBeLessThan(16);
  await Promise.all(flood);
});

test("a flood of overviews of different time zones, by a unit administrator and their keys, fails no list of the organization and delays it by less than the time of ten", async () => {
  const zones = Intl.supportedValuesOf("timeZone");
  const list = () => org.admin.get("/api/members");
  const alone = await median(list);
  let isOver = false;
  let next = 0;
  let overviews = 0;
  const flood = race(36, async (index) => {
    while (!isOver) {
      next += 1;
      const zone = encodeURIComponent(zones[next % zones.length] ?? "UTC");
      const path = `/api/organization/overview?days=90&timeZone=${zone}`;
      const { status } = await (callers[index % 4] as Caller).get(path);
      if (status === 200) overviews += 1;
      else await Bun.sleep(50);
    }
  });
  await until(() => (overviews > 0 ? true : null));
  const beside = await median(list);
  isOver = true;
  await flood;
  // The time alone is measured again, because the machine may have become busier.
  expect(beside).toBeLessThan(10 * Math.max(alone, await median(list)));
});

async function median(call: () => Promise<ApiResponse>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const since = performance.now();
    expectStatus(await call(), 200);
    times.push(performance.now() - since);
  }
  return times.sort((one, other) => one - other)[7] as number;
}

test("a person and their service accounts use two connections for writes, and others write while 64 more of theirs wait", async () => {
  const lock = await holdOrganizationLock(t, org.id);
  const rename = (caller: Caller) => caller.patch(`/api/units/${unit}`, { name: crypto.randomUUID() });
  const refused: ApiResponse[] = [];
  const flood = race(100, async (index) => {
    const response = await rename(callers[index % 4] as Caller);
    if (response.status === 429) refused.push(response);
    return response;
  });
  await until(() => (refused.length >= 34 ? true : null));
  await lock.waiting(2);
  const others = race(6, () => org.admin.patch("/api/organization", { name: crypto.randomUUID() }));
  await lock.waiting(4);
  await lock.release();
  expect(succeeded(await others)).toBe(6);
  expect(succeeded(await flood)).toBe(66);
});
