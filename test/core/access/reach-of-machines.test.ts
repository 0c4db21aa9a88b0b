import { expect, test } from "bun:test";
import fc from "fast-check";
import { builtInRoles, permissionNames } from "../../../src/core/access/catalog.ts";
import type { Caller } from "../../support/caller.ts";
import { ACCOUNTS, callerOf } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import {
  ExpectedOrganization,
  ExpectedPermissions,
  type Grants,
  isWithin,
  Oracle,
  type RoleAssignment,
} from "../../support/reach.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";

/*
 * Compares service accounts in random unit trees with the permission model of members (support/reach.ts): which
 * accounts a caller may read, which roles a caller may assign, for which accounts a caller may create API keys, and
 * which permissions a key has. Compares them again after units and service accounts were moved.
 */
const t = await sharedService();

const ORG_ADMIN = builtInRoles.find(({ name }) => name === "ORG_ADMIN")?.id ?? "";
const NAMES = [
  "Units.Read",
  "Units.Update",
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
  /** Units that are moved: by the administrator (0), a caller (1, 2) or a service account (3 to 6). */
  moves: fc.array(fc.record({ by: fc.nat(6), unit: fc.nat(3), to: fc.nat(4) }), {
    minLength: 2,
    maxLength: 6,
  }),
  /** Roles and units that service accounts are moved to afterwards. */
  assigned: fc.array(fc.record({ machine: fc.nat(3), grants }), { maxLength: 2 }),
});
type Wanted = { role: number; place: number }[];

class World {
  readonly expected = new ExpectedOrganization();
  private readonly roles: string[] = [];
  private readonly places: (string | null)[] = [null];

  constructor(readonly org: Organization) {
    const administration = { id: ORG_ADMIN, name: "ORG_ADMIN", permissions: [...permissionNames()] };
    this.expected.roles.set(ORG_ADMIN, administration);
  }

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

  assignments(wanted: Wanted): RoleAssignment[] {
    const all = wanted.map(({ role, place }) => ({
      roleId: this.roles[role] ?? "",
      unitId: this.places[place % this.places.length] ?? null,
    }));
    return all.filter(
      (one, at) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === at,
    );
  }

  /** Returns the unit with this number. */
  unit = (number: number): string => this.places[number + 1] ?? "";
  place = (number: number): string | null => this.places[number % this.places.length] ?? null;

  /** Moves a unit, as a member or service account with these roles, and compares the outcome with the model. */
  async move(
    { caller, assignments }: Mover,
    side: Machine[],
    { unit, to }: { unit: number; to: number },
  ): Promise<void> {
    const others = side.map((machine) => this.power(machine.id, machine.assignments));
    this.power("mover", assignments);
    const power = new PermissionsOfSide(this.expected, this.expected.grantsOf("mover"), others);
    const change = { parentId: this.place(to) };
    const expected = new Oracle(this.expected).updateUnit(power, this.unit(unit), change);
    expect(outcome(await caller.patch(`/api/units/${this.unit(unit)}`, change))).toBe(expected);
  }

  /** Returns the permissions of a member with these roles, according to the model. */
  power(id: string, assignments: RoleAssignment[]): ExpectedPermissions {
    const links = new Set<string>();
    this.expected.people.set(id, { userId: id, lastName: "", isMember: true, assignments, links });
    return new ExpectedPermissions(this.expected, [this.expected.grantsOf(id)]);
  }
}

type Machine = {
  id: string;
  key: string;
  assignments: RoleAssignment[];
  /** Who created the account or one of its keys. */
  creators: Set<Caller>;
};

/** A member, or an API key, with the roles that count. */
type Mover = { caller: Caller; assignments: RoleAssignment[] };

/** The permissions of a caller who moves units, together with the service accounts on the caller's side (rules 12.10). */
class PermissionsOfSide extends ExpectedPermissions {
  constructor(
    world: ExpectedOrganization,
    own: Grants,
    private readonly others: ExpectedPermissions[],
  ) {
    super(world, [own]);
  }

  override gains(from: (string | null)[], to: (string | null)[]): boolean {
    const isHeldAt = (power: ExpectedPermissions, places: (string | null)[], name: string) =>
      places.some((place) => power.holds([name], place));
    return permissionNames().some(
      (name) =>
        !isHeldAt(this, from, name) &&
        [this, ...this.others].some((one) => isHeldAt(one, to, name) && !isHeldAt(one, from, name)),
    );
  }
}

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
    const key = await caller.post(`${path}/keys`, { name: "CI" });
    expect(outcome(key)).toBe(outcomeFor("ApiKeys.Create", "201"));
    if (key.status === 201) machine.creators.add(caller);
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

/** Compares the units that a key reads with the model. */
async function compareKey(world: World, machine: Machine): Promise<void> {
  const power = world.power(machine.id, machine.assignments);
  const response = await callerOf(t.url, machine.key).get("/api/units");
  const reach = power.has("Units.Read") ? power.reach("Units.Read") : null;
  const units = world.expected.liveUnits().filter((unit) => isWithin(reach, unit.id));
  expect(
    response.status === 403 ? null : response.body.data.map((unit: { id: string }) => unit.id).toSorted(),
  ).toEqual(power.has("Units.Read") ? units.map((unit) => unit.id).toSorted() : null);
}

test("callers can manage service accounts, and API keys have permissions, exactly as the model of members predicts, also after units and service accounts were moved", () =>
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
        machines.push({ id, key, assignments, creators: new Set([world.org.admin]) });
      }
      const people: Mover[] = [];
      for (const wanted of random.callers) {
        const assignments = world.assignments(wanted);
        const roles = assignments.map(({ roleId, unitId }) => ({ role: roleId, unit: unitId }));
        people.push({ caller: await world.org.member(...roles), assignments });
      }
      const compareAll = async () => {
        for (const { caller, assignments } of people) {
          expectStatus(await caller.refresh(), 200);
          await compare(world, caller, world.power(idOf(caller), assignments), machines);
        }
        for (const machine of machines) await compareKey(world, machine);
      };
      await compareAll();
      const { admin } = world.org;
      const everything = [{ roleId: ORG_ADMIN, unitId: null }];
      for (const { by, ...move } of random.moves) {
        const machine = machines[by - 3];
        const person = [admin, ...people.map(({ caller }) => caller)][by] ?? admin;
        // A key acts for the person who created it: the administrator.
        const side = machines.filter(({ creators }) => creators.has(person));
        const { assignments } = machine ?? people[by - 1] ?? { assignments: everything };
        const caller = machine === undefined ? person : callerOf(t.url, machine.key);
        await world.move({ caller, assignments }, side, move);
        for (const { caller: other } of people) expectStatus(await other.refresh(), 200);
      }
      for (const { machine: number, grants: wanted } of random.assigned) {
        const machine = machines[number];
        if (machine === undefined) continue;
        machine.assignments = world.assignments(wanted);
        const change = { assignments: machine.assignments };
        expectStatus(await world.org.admin.patch(`${ACCOUNTS}/${machine.id}/roles`, change), 200);
      }
      await compareAll();
    }),
    { numRuns: FEWER_ROUNDS * 2, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));
