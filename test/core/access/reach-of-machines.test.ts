import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Caller } from "../../support/caller.ts";
import { ACCOUNTS, callerOf } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS, RACE_TIMEOUT_MS } from "../../support/race.ts";
import {
  ExpectedOrganization,
  ExpectedPermissions,
  isWithin,
  type RoleAssignment,
} from "../../support/reach.ts";
import { expectStatus, startService } from "../../support/service.ts";

/*
 * Compares service accounts in random unit trees with the permission model of members (support/reach.ts): which
 * accounts a caller may read, which roles a caller may assign, for which accounts a caller may create API keys, and
 * which permissions a key has.
 */
const t = await startService();

const NAMES = [
  "Units.Read",
  "Members.Read",
  "ServiceAccounts.Read",
  "ServiceAccounts.Create",
  "ServiceAccounts.UpdateRoles",
  "ServiceAccounts.Delete",
  "ApiKeys.Create",
  "ApiKeys.Delete",
];
const grants = fc.array(fc.record({ role: fc.nat(2), place: fc.nat(5) }), { minLength: 1, maxLength: 3 });
const plan = fc.record({
  parents: fc.array(fc.nat(4), { minLength: 4, maxLength: 4 }),
  roles: fc.array(fc.subarray(NAMES, { minLength: 3 }), { minLength: 3, maxLength: 3 }),
  callers: fc.array(grants, { minLength: 2, maxLength: 2 }),
  machines: fc.array(grants, { minLength: 4, maxLength: 4 }),
});
type Grants = { role: number; place: number }[];

class World {
  readonly expected = new ExpectedOrganization();
  private readonly roles: string[] = [];
  private readonly places: (string | null)[] = [null];

  constructor(readonly org: Organization) {}

  async grow({ parents, roles }: { parents: number[]; roles: string[][] }): Promise<void> {
    for (const [index, below] of parents.entries()) {
      const parentId = this.places[below % this.places.length] ?? null;
      const name = `Unit ${index}`;
      const id = await this.org.unit(name, parentId);
      this.places.push(id);
      this.expected.units.set(id, { id, name, parentId, isLive: true });
    }
    for (const [index, permissions] of roles.entries()) {
      const name = `Role ${index}`;
      const id = await this.org.role(name, ...permissions);
      this.roles.push(id);
      this.expected.roles.set(id, { id, name, permissions });
    }
  }

  assignments(wanted: Grants): RoleAssignment[] {
    const all = wanted.map(({ role, place }) => ({
      roleId: this.roles[role] ?? "",
      unitId: this.places[place % this.places.length] ?? null,
    }));
    return all.filter(
      (one, at) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === at,
    );
  }

  /** Returns the permissions of a member with these roles, according to the model. */
  power(id: string, assignments: RoleAssignment[]): ExpectedPermissions {
    const links = new Set<string>();
    this.expected.people.set(id, { userId: id, lastName: "", isMember: true, assignments, links });
    return new ExpectedPermissions(this.expected, [this.expected.grantsOf(id)]);
  }
}

type Machine = { id: string; key: string; assignments: RoleAssignment[] };

/** Compares every route of service accounts that the caller may use with the model. */
async function compare(world: World, caller: Caller, power: ExpectedPermissions, machines: Machine[]) {
  const isReached = (permission: string, { assignments }: Machine) => {
    const reach = power.reach(permission);
    return assignments.every(({ unitId }) => isWithin(reach, unitId));
  };
  const expected = power.has("ServiceAccounts.Read")
    ? machines.filter((one) => isReached("ServiceAccounts.Read", one)).map(({ id }) => id)
    : null;
  const listed = await caller.get(`${ACCOUNTS}?pageSize=100`);
  expect(
    listed.status === 403 ? null : listed.body.data.map(({ id }: { id: string }) => id).toSorted(),
  ).toEqual(expected?.toSorted() ?? null);
  for (const machine of machines) {
    const outcomeFor = (permission: string, ok: string) => {
      if (!power.has(permission)) return "403 FORBIDDEN";
      if (!isReached(permission, machine)) return "404 NOT_FOUND";
      return power.holdsAll(machine.assignments) ? ok : "403 PERMISSION_NOT_HELD";
    };
    const path = `${ACCOUNTS}/${machine.id}`;
    expect(outcome(await caller.post(`${path}/keys`, { name: "CI" }))).toBe(
      outcomeFor("ApiKeys.Create", "201"),
    );
    const same = { assignments: machine.assignments };
    const changed = outcome(await caller.patch(`${path}/roles`, same));
    const wanted = outcomeFor("ServiceAccounts.UpdateRoles", "200");
    // Assigning the same roles changes nothing, so the caller needs none of their permissions.
    expect(changed).toBe(wanted === "403 PERMISSION_NOT_HELD" ? "200" : wanted);
    const created = await caller.post(ACCOUNTS, { name: crypto.randomUUID(), ...same });
    const reach = power.has("ServiceAccounts.Create") ? power.reach("ServiceAccounts.Create") : null;
    const mayCreate = !power.has("ServiceAccounts.Create")
      ? "403 FORBIDDEN"
      : machine.assignments.some(({ unitId }) => !isWithin(reach, unitId))
        ? "403 UNIT_FORBIDDEN"
        : power.holdsAll(machine.assignments)
          ? "201"
          : "403 PERMISSION_NOT_HELD";
    expect(outcome(created)).toBe(mayCreate);
    if (created.status === 201)
      expectStatus(await world.org.admin.delete(`${ACCOUNTS}/${created.body.id}`), 204);
  }
}

test(
  "callers can manage service accounts, and API keys have permissions, exactly as the model of members predicts",
  () =>
    fc.assert(
      fc.asyncProperty(plan, async (random) => {
        const world = new World(await createOrganization(t));
        await world.grow(random);
        const machines: Machine[] = [];
        for (const wanted of random.machines) {
          const assignments = world.assignments(wanted);
          const body = { name: crypto.randomUUID(), assignments };
          const { id } = expectStatus(await world.org.admin.post(ACCOUNTS, body), 201).body;
          const { key } = expectStatus(
            await world.org.admin.post(`${ACCOUNTS}/${id}/keys`, { name: "CI" }),
            201,
          ).body;
          machines.push({ id, key, assignments });
        }
        for (const wanted of random.callers) {
          const assignments = world.assignments(wanted);
          const roles = assignments.map(({ roleId, unitId }) => ({ role: roleId, unit: unitId }));
          const person = await world.org.member(...roles);
          await compare(world, person, world.power(idOf(person), assignments), machines);
        }
        for (const { id, key, assignments } of machines) {
          const power = world.power(id, assignments);
          const answer = await callerOf(t.url, key).get("/api/units");
          const reach = power.has("Units.Read") ? power.reach("Units.Read") : null;
          const units = world.expected.liveUnits().filter((unit) => isWithin(reach, unit.id));
          expect(
            answer.status === 403 ? null : answer.body.data.map((unit: { id: string }) => unit.id),
          ).toEqual(power.has("Units.Read") ? units.map((unit) => unit.id) : null);
        }
      }),
      { numRuns: FEWER_ROUNDS * 2, interruptAfterTimeLimit: RACE_TIMEOUT_MS - 10_000, endOnFailure: true },
    ),
  RACE_TIMEOUT_MS,
);
