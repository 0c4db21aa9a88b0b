import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import {
  ACCOUNTS,
  callerOf,
  createAccount,
  createKey,
  createMachine,
  keyPath,
  type Machine,
} from "../../support/machines.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { ROUNDS, race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus, startService } from "../../support/service.ts";

/*
 * Concurrent calls to two processes about service accounts and API keys. Above each test: the code without which it fails.
 */
const { t, url } = await raceCluster();
const at = (who: Caller, index: number) => who.at(url(index));
const SELF = `${ACCOUNTS}/self`;
const DEAD = "401 UNAUTHENTICATED";

/** Sends two requests that wait for the organization's lock in this order; returns their outcomes. */
async function inOrder<One, Two>(
  org: Organization,
  first: () => Promise<One>,
  second: () => Promise<Two>,
): Promise<[One, Two]> {
  const lock = await holdOrganizationLock(t, org.id);
  const one = first();
  await lock.waiting(1);
  const two = second();
  await lock.waiting(2);
  await lock.release();
  return Promise.all([one, two]);
}

const rotate = async (who: Caller, machine: Machine) =>
  outcome(await who.post(`${keyPath(machine)}/rotate`, {}));
const revoke = async (who: Caller, machine: Machine) => outcome(await who.delete(keyPath(machine)));
const alive = async (key: string, index = 0) => outcome(await callerOf(url(index), key).get(SELF));

// The test fails if an instance caches what findApiKey found (src/features/service-accounts/find-api-key.ts).
test("a revoked API key is 401 at once on every instance", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "MEMBER" });
  for (const index of [0, 1]) expect(await alive(machine.key, index)).toBe("200");
  expect(await revoke(at(org.admin, 0), machine)).toBe("204");
  for (const index of [0, 1]) expect(await alive(machine.key, index)).toBe(DEAD);
});

// The test fails if an instance caches what findApiKey found (src/features/service-accounts/find-api-key.ts).
test("every other change of an API key's access is in effect at once on every instance", async () => {
  const org = await createOrganization(t);
  const platform = await t.platformAdmin();
  const reader = await org.role("Reader", "Units.Read");
  const account = (id: string) => `${ACCOUNTS}/${id}`;
  const changes: [string, (machine: Machine) => Promise<{ status: number }>][] = [
    ["403 FORBIDDEN", ({ id }) => org.admin.patch(`${account(id)}/roles`, assignments({ role: reader }))],
    ["403 IP_NOT_ALLOWED", (machine) => org.admin.patch(keyPath(machine), { allowedIps: ["192.0.2.1"] })],
    [DEAD, ({ id }) => org.admin.patch(account(id), { enabled: false })],
    [DEAD, ({ id }) => org.admin.delete(account(id))],
    [DEAD, (machine) => org.admin.post(`${keyPath(machine)}/rotate`, { overlapSeconds: 0 })],
    [DEAD, ({ key }) => t.anonymous().post("/api/auth/revoke-key", { key })],
    [
      "403 ORGANIZATION_SUSPENDED",
      () => platform.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }),
    ],
  ];
  const machines = [];
  for (const _ of changes) machines.push(await createMachine(org, { role: "MEMBER" }));
  const asked = async (machine: Machine) =>
    outcome(await callerOf(url(1), machine.key).get("/api/organization"));
  for (const machine of machines) expect(await asked(machine)).toBe("200");
  for (const [index, [expected, change]] of changes.entries()) {
    const machine = machines[index] as Machine;
    expect((await change(machine)).status).toBeLessThan(300);
    expect(await asked(machine)).toBe(expected);
  }
});

// The test fails if an instance caches the permissions of a key, or the units that they cover.
test("a change of a role's permissions, or of the unit tree, is in effect at once for API keys on every instance", async () => {
  const org = await createOrganization(t);
  const [sales, other, outside] = [await org.unit("Sales"), await org.unit("Other"), await org.unit("Out")];
  const role = await org.role("Reader", "Units.Read");
  const [wide, below] = [
    await createMachine(org, { role }),
    await createMachine(org, { role: "UNIT_ADMIN", unit: sales }),
  ];
  const both = async (asked: (url: string) => Promise<unknown>, expected: unknown) => {
    for (const index of [0, 1]) expect(await asked(url(index))).toEqual(expected);
  };
  const units = async (at: string) => {
    const { body } = expectStatus(await callerOf(at, below.key).get("/api/units"), 200);
    return body.data.map(({ id }: { id: string }) => id).toSorted();
  };
  const covered = async (at: string) =>
    expectStatus(await callerOf(at, below.key).get(SELF), 200).body.unitGrants[0].units.length;
  const members = async (at: string) => outcome(await callerOf(at, wide.key).get("/api/members"));
  await both(units, [sales]);
  await both(members, "403 FORBIDDEN");

  const one = at(org.admin, 0);
  expectStatus(await one.patch(`/api/roles/${role}`, { permissions: ["Units.Read", "Members.Read"] }), 200);
  await both(members, "200");
  expectStatus(await one.patch(`/api/roles/${role}`, { permissions: ["Units.Read"] }), 200);
  await both(members, "403 FORBIDDEN");

  expectStatus(await one.patch(`/api/units/${other}`, { parentId: sales }), 200);
  await both(units, [sales, other].toSorted());
  await both(covered, 43);
  expectStatus(await one.patch(`/api/units/${other}`, { parentId: outside }), 200);
  await both(units, [sales]);
  await both(covered, 22);
  const created = expectStatus(await one.post("/api/units", { name: "New", parentId: sales }), 201).body.id;
  await both(units, [sales, created].toSorted());
  expectStatus(await one.delete(`/api/units/${created}`), 204);
  await both(units, [sales]);
});

// The test fails if an instance caches what findApiKey found (src/features/service-accounts/find-api-key.ts).
test("if an API key is revoked while it is used, at most the requests of that moment succeed", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const machine = await createMachine(org, { role: "MEMBER" });
    const [, ...loads] = await Promise.all([
      revoke(at(org.admin, 0), machine),
      ...(await race(4, (index) => alive(machine.key, index))).map(async (response) => response),
      ...[0, 1, 0, 1].map((index) => alive(machine.key, index)),
    ]);
    for (const response of loads) expect(["200", DEAD]).toContain(response);
    for (const index of [0, 1]) expect(await alive(machine.key, index)).toBe(DEAD);
  }
});

// The test fails without the condition replaced_by_id IS NULL in replaceApiKey (sql/service-accounts.sql), under the
// lock taken by authorize.
test("of two rotations of one API key, one is 201 and one is 409, and exactly one successor is active", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const machine = await createMachine(org, { role: "MEMBER" });
    const responses = await race(2, (index) => rotate(at(org.admin, index), machine));
    expect(responses.toSorted()).toEqual(["201", "409 CONFLICT"]);
    const listed = await org.admin.get(`${ACCOUNTS}/${machine.id}/keys?status=ACTIVE`);
    expect(expectStatus(listed, 200).body.total).toBe(1);
  }
});

// The test fails unless rotateKey reads the status under the lock (src/features/service-accounts/keys.ts).
test("a revoked API key cannot be rotated; revoking a rotated key ends it without overlap, and its successor stays active", async () => {
  const org = await createOrganization(t);
  const statuses = async ({ id }: Machine) => {
    const listed = await org.admin.get(`${ACCOUNTS}/${id}/keys?sort=createdAt&order=asc`);
    return listed.body.data.map(({ status }: { status: string }) => status);
  };
  const [first, second] = [
    await createMachine(org, { role: "MEMBER" }),
    await createMachine(org, { role: "MEMBER" }),
  ];
  const [admin, other] = [at(org.admin, 0), at(org.admin, 1)];
  expect(
    await inOrder(
      org,
      () => revoke(admin, first),
      () => rotate(other, first),
    ),
  ).toEqual(["204", "409 CONFLICT"]);
  expect(await statuses(first)).toEqual(["REVOKED"]);
  expect(
    await inOrder(
      org,
      () => rotate(admin, second),
      () => revoke(other, second),
    ),
  ).toEqual(["201", "204"]);
  expect(await statuses(second)).toEqual(["REVOKED", "ACTIVE"]);
});

// The test fails without authorize before findServiceAccount in authorizeKeys (src/features/service-accounts/keys.ts).
test("an API key that is created while its service account is deleted is invalid afterwards, or the creation is 404", async () => {
  const org = await createOrganization(t);
  const [first, second] = [
    await createAccount(org, { role: "MEMBER" }),
    await createAccount(org, { role: "MEMBER" }),
  ];
  const [admin, other] = [at(org.admin, 0), at(org.admin, 1)];
  const create = (who: Caller, id: string) => who.post(`${ACCOUNTS}/${id}/keys`, { name: "CI" });
  const remove = (who: Caller, id: string) => who.delete(`${ACCOUNTS}/${id}`);
  const [created, removed] = await inOrder(
    org,
    () => create(admin, first),
    () => remove(other, first),
  );
  expect([outcome(created), outcome(removed)]).toEqual(["201", "204"]);
  for (const index of [0, 1]) expect(await alive(created.body.key, index)).toBe(DEAD);
  const late = await inOrder(
    org,
    () => remove(admin, second),
    () => create(other, second),
  );
  expect(late.map((response) => outcome(response))).toEqual(["204", "404 NOT_FOUND"]);
});

// The test fails unless countActiveApiKeys runs under the lock (src/features/service-accounts/keys.ts).
test("of two requests for a service account's tenth API key, one is 201 and one is 409", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await createAccount(org, { role: "MEMBER" });
    for (let count = 0; count < 9; count += 1) await createKey(org, id);
    const responses = await race(2, async (index) =>
      outcome(await at(org.admin, index).post(`${ACCOUNTS}/${id}/keys`, { name: "CI" })),
    );
    expect(responses.toSorted()).toEqual(["201", "409 CONFLICT"]);
  }
});

// The test fails without authorize before assertWithinLimit (src/features/service-accounts/accounts.ts).
test("of two requests for the last service account that the plan or the organization allows, exactly one is 201", async () => {
  const limited = await startService({ BILLING_PLANS_FILE: undefined }, { databaseUrl: t.databaseUrl });
  const platform = await t.platformAdmin();
  for (let round = 0; round < ROUNDS; round += 1) {
    const org = await createOrganization(limited);
    expectStatus(
      await platform.at(limited.url).patch(`/api/organizations/${org.id}/plan`, { planOverride: "free" }),
      200,
    );
    await createAccount(org, { role: "MEMBER" });
    const create = async (name: string) =>
      outcome(await org.admin.post(ACCOUNTS, { name, ...assignments({ role: "MEMBER" }) }));
    const responses = await race(2, (index) => create(`Racer ${index}`));
    expect(responses.toSorted()).toEqual(["201", "403 PLAN_LIMIT_REACHED"]);
  }
  const org = await createOrganization(t);
  await t.sql(
    `INSERT INTO service_accounts (organization_id, name)
       SELECT $1, 'Filler ' || number FROM generate_series(1, 999) number`,
    [org.id],
  );
  const responses = await race(2, async (index) =>
    outcome(
      await at(org.admin, index).post(ACCOUNTS, {
        name: `Racer ${index}`,
        ...assignments({ role: "MEMBER" }),
      }),
    ),
  );
  expect(responses.toSorted()).toEqual(["201", "409 CONFLICT"]);
});

// The test fails without service_account_assignments in isRoleInUse (sql/roles.sql) and isUnitInUse (sql/units.sql).
test("if a role or unit is deleted while it is assigned to a service account, exactly one of both requests succeeds", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const role = await org.role(`Role ${round}`, "Units.Read");
    const unit = await org.unit(`Unit ${round}`);
    for (const [target, grant] of [
      [`/api/roles/${role}`, { role }],
      [`/api/units/${unit}`, { role: "MEMBER", unit }],
    ] as const) {
      const [created, removed] = await Promise.all([
        at(org.admin, round).post(ACCOUNTS, { name: crypto.randomUUID(), ...assignments(grant) }),
        at(org.admin, round + 1).delete(target),
      ]);
      const conflict = "role" in grant && grant.role === role ? "409 ROLE_IN_USE" : "409 UNIT_NOT_EMPTY";
      expect([
        ["201", conflict],
        ["400 VALIDATION_FAILED", "204"],
      ]).toContainEqual([outcome(created), outcome(removed)]);
    }
  }
});

// The test fails unless authorize reads the caller's permissions under the lock
// (src/features/service-accounts/keys.ts).
test("a caller who is demoted while they create an API key creates it before, or gets 403", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "ORG_ADMIN" });
  for (const isFirst of [true, false]) {
    const person = await org.member({ role: "ORG_ADMIN" });
    const create = async () => outcome(await at(person, 0).post(`${ACCOUNTS}/${id}/keys`, { name: "CI" }));
    const demote = async () =>
      outcome(
        await at(org.admin, 1).patch(`/api/members/${idOf(person)}/roles`, assignments({ role: "MEMBER" })),
      );
    const responses = isFirst ? await inOrder(org, create, demote) : await inOrder(org, demote, create);
    expect(responses).toEqual(isFirst ? ["201", "200"] : ["200", "403 FORBIDDEN"]);
  }
});

// The test fails without authorizeKey (src/core/authorize/authorize.ts).
test("a write that grants permissions changes nothing if its API key is revoked, disabled, demoted or suspended while it waits for the lock", async () => {
  const org = await createOrganization(t);
  const platform = await t.platformAdmin();
  const other = await org.role("Other", "Units.Read");
  const write = (machine: Machine, index: number) =>
    callerOf(url(index), machine.key).post("/api/roles", {
      name: crypto.randomUUID(),
      permissions: ["Units.Read"],
    });
  const account = ({ id }: Machine) => `${ACCOUNTS}/${id}`;
  const ends: [string, (machine: Machine) => Promise<{ status: number }>][] = [
    [DEAD, (machine) => org.admin.delete(keyPath(machine))],
    [DEAD, ({ key }) => t.anonymous().post("/api/auth/revoke-key", { key })],
    [DEAD, (machine) => org.admin.patch(account(machine), { enabled: false })],
    [DEAD, (machine) => org.admin.delete(account(machine))],
    [
      "403 FORBIDDEN",
      (machine) => org.admin.patch(`${account(machine)}/roles`, assignments({ role: other })),
    ],
    ["403 IP_NOT_ALLOWED", (machine) => org.admin.patch(keyPath(machine), { allowedIps: ["192.0.2.1"] })],
    [
      "403 ORGANIZATION_SUSPENDED",
      () => platform.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }),
    ],
  ];
  for (const [index, [expected, end]] of ends.entries()) {
    const machine = await createMachine(org, { role: "ORG_ADMIN" });
    expectStatus(await write(machine, index), 201);
    const [ended, written] = await inOrder(
      org,
      () => end(machine),
      () => write(machine, index),
    );
    expect(ended.status).toBeLessThan(300);
    expect(outcome(written)).toBe(expected);
  }
});
