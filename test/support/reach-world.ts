import { builtInRoles } from "../../src/core/access/catalog.ts";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { ExpectedOrganization, type ExpectedPermissions, isSame } from "./reach.ts";
import { oneOf, type Plan, UNKNOWN } from "./reach-plan.ts";
import type { Service } from "./service.ts";

/** A unit, role and member of another organization, outside of everybody's reach. */
export type OtherOrganization = { unitId: string; roleId: string; userId: string };

/** A random organization in the database and in the model, with a label for everything in it. */
export class StoredOrganization {
  readonly world = new ExpectedOrganization();
  /** The requests sent so far, as text. */
  readonly history: string[] = [];
  private readonly labels: Map<string, string>;

  private constructor(
    private readonly t: Service,
    readonly id: string,
    private readonly foreign: OtherOrganization,
  ) {
    this.labels = new Map([
      [foreign.unitId, "unit of another organization"],
      [foreign.roleId, "role of another organization"],
      [foreign.userId, "member of another organization"],
      ...builtInRoles.map(({ id, name }): [string, string] => [id, name]),
    ]);
  }

  /** Creates the organization. The first user gets ORG_ADMIN; the others get the roles of the plan. */
  static async grow(
    t: Service,
    foreign: OtherOrganization,
    random: Plan,
    people: { userId: string; lastName: string }[],
  ): Promise<StoredOrganization> {
    const grown = new StoredOrganization(t, await newOrganization(t), foreign);
    await grown.growUnitsAndRoles(random);
    const founder = { assignments: [{ role: 0, place: null }], links: [], pastLinks: [], isRemoved: false };
    for (const [index, member] of [founder, ...random.members].entries()) {
      const person = people[index];
      if (person !== undefined) await grown.growMember(person, member);
    }
    for (const number of random.deletedUnits) await grown.deleteSomeUnit(number);
    return grown;
  }

  private async growUnitsAndRoles({ units, roles }: Plan): Promise<void> {
    const { world } = this;
    for (const { id, name, permissions } of builtInRoles) world.roles.set(id, { id, name, permissions });
    for (const [index, permissions] of roles.entries()) {
      const name = `Role ${index + 1}`;
      const id = await newRole(this.t, this.id, name, permissions);
      world.roles.set(id, { id, name, permissions });
      this.labels.set(id, name);
    }
    const ids: string[] = [];
    for (const { below, name } of units) {
      const parentId = below === 0 ? null : (ids[(below - 1) % Math.max(ids.length, 1)] ?? null);
      ids.push(this.addUnit(await newUnit(this.t, this.id, name, parentId), name, parentId));
    }
  }

  addUnit(id: string, name: string, parentId: string | null): string {
    this.world.units.set(id, { id, name, parentId, isLive: true });
    this.labels.set(id, `unit ${this.world.units.size} "${name}"`);
    return id;
  }

  private async growMember(
    { userId, lastName }: { userId: string; lastName: string },
    member: Pick<Plan["members"][number], "assignments" | "links" | "pastLinks" | "isRemoved">,
  ): Promise<void> {
    const isMember = !member.isRemoved;
    const membershipId = await newMembership(this.t, this.id, userId, isMember);
    const person = { userId, lastName, isMember, assignments: [], links: new Set<string>() };
    this.labels.set(userId, `person ${this.world.people.size}`);
    this.world.people.set(userId, person);
    if (isMember) for (const one of member.assignments) await this.give(userId, one);
    const live = this.world.liveUnits().map(({ id }) => id);
    const some = (numbers: number[]) =>
      numbers.flatMap((number) => live[number % Math.max(live.length, 1)] ?? []);
    for (const id of some(member.links)) {
      if (isMember) person.links.add(id);
      await this.link(membershipId, id, isMember);
    }
    for (const id of some(member.pastLinks)) await this.link(membershipId, id, false);
  }

  /** Assigns a role to a member without a request, so that the member's access token does not have it. */
  async give(userId: string, { role, place }: Plan["grants"][number]["assignment"]): Promise<void> {
    const person = this.world.people.get(userId);
    const roleIds = [...this.world.roles.keys()];
    const roleId = roleIds[role % roleIds.length] ?? "";
    const live = this.world.liveUnits().map(({ id }) => id);
    const unitId = place === null ? null : (live[place % Math.max(live.length, 1)] ?? null);
    if (person?.isMember !== true || person.assignments.some((one) => isSame(one, { roleId, unitId })))
      return;
    const membershipId = await idFrom(
      this.t,
      `WITH mine AS (SELECT id FROM memberships WHERE organization_id = $1 AND user_id = $2), given AS (
         INSERT INTO membership_assignments (membership_id, role_id, unit_id) SELECT id, $3, $4 FROM mine)
       SELECT id FROM mine`,
      [this.id, userId, roleId, unitId],
    );
    person.assignments.push({ roleId, unitId });
    if (unitId === null) return;
    person.links.add(unitId);
    await this.link(membershipId, unitId, true);
  }

  /** Inserts a unit membership, or one that has ended unless there is one already. */
  private async link(membershipId: string, unitId: string, isLive: boolean): Promise<void> {
    await this.t.sql(
      `INSERT INTO membership_units (membership_id, unit_id, is_deleted) VALUES ($1, $2, $3)
       ON CONFLICT ON CONSTRAINT membership_units_unique DO UPDATE SET is_deleted = excluded.is_deleted
       WHERE membership_units.is_deleted`,
      [membershipId, unitId, !isLive],
    );
  }

  /** Deletes one of the units without members and sub-units, because no other unit can be deleted. */
  private async deleteSomeUnit(number: number): Promise<void> {
    const units = this.world.liveUnits();
    const free = units.filter(
      ({ id }) =>
        !units.some(({ parentId }) => parentId === id) &&
        !this.world.members().some(({ links }) => links.has(id)),
    );
    const unit = free[number % Math.max(free.length, 1)];
    if (unit === undefined) return;
    await this.t.sql("UPDATE units SET is_deleted = true WHERE id = $1", [unit.id]);
    unit.isLive = false;
  }

  unit(number: number, power?: ExpectedPermissions, permission?: string): string {
    const deleted = [...this.world.units.values()].flatMap((unit) => (unit.isLive ? [] : unit.id));
    const live = this.world.liveUnits().map(({ id }) => id);
    const reach = this.reach(power, permission);
    const near = live.filter((id) => reach?.has(id));
    return oneOf(number, {
      inReach: near,
      existing: live,
      invalid: [...deleted, this.foreign.unitId, UNKNOWN],
    });
  }
  /** Returns one of the units in which a user has a role, or null. */
  unitOf(userId: string, number: number | null): string | null {
    const units = this.world.people.get(userId)?.assignments.flatMap(({ unitId }) => unitId ?? []) ?? [];
    return units[(number ?? 0) % Math.max(units.length, 1)] ?? null;
  }
  place(number: number | null, power: ExpectedPermissions, permission: string): string | null {
    return number === null ? null : this.unit(number, power, permission);
  }
  person(number: number, power?: ExpectedPermissions, permission?: string): string {
    const reach = this.reach(power, permission);
    const near = this.world.members().filter(({ links }) => [...links].some((id) => reach?.has(id)));
    return oneOf(number, {
      inReach: near.map(({ userId }) => userId),
      existing: [...this.world.people.keys()],
      invalid: [this.foreign.userId, UNKNOWN],
    });
  }
  role(number: number): string {
    return oneOf(number, {
      inReach: [],
      existing: [...this.world.roles.keys()],
      invalid: [this.foreign.roleId, UNKNOWN],
    });
  }
  /** Returns the units to which a permission is limited, or null if it is not limited or not held. */
  private reach(power?: ExpectedPermissions, permission?: string): Set<string> | null {
    return power !== undefined && permission !== undefined && power.has(permission)
      ? power.reach(permission)
      : null;
  }

  /** Describes the organization and the previous requests as text. */
  draw(): string {
    const units = [...this.world.units.values()].map(({ id, parentId, isLive }) => {
      const where = parentId === null ? "at the top" : `below ${parentId}`;
      return `${id} ${where}${isLive ? "" : ", deleted"}`;
    });
    const roles = [...this.world.roles.values()]
      .filter(({ id }) => !builtInRoles.some((builtIn) => builtIn.id === id))
      .map(({ id, permissions }) => `${id}: ${permissions.join(", ") || "nothing"}`);
    const people = [...this.world.people.values()].map(({ userId, isMember, assignments, links }) => {
      const has = assignments.map(
        ({ roleId, unitId }) => `${roleId} ${unitId === null ? "everywhere" : `in ${unitId}`}`,
      );
      return `${userId}: ${isMember ? has.join("; ") : "removed"}; linked to ${[...links].join(", ") || "nothing"}`;
    });
    const before = this.history.length > 0 ? ["", "Before:", ...this.history] : [];
    return this.say([...units, ...roles, ...people, ...before].join("\n"));
  }

  /** Replaces ids by labels. */
  say(text: string): string {
    return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => this.labels.get(id) ?? id);
  }
}

/** Creates an organization with a unit, a role and a member, which is foreign to all others. */
export async function createOtherOrganization(t: Service): Promise<OtherOrganization> {
  const organizationId = await newOrganization(t);
  const foreign = {
    unitId: await newUnit(t, organizationId, "Foreign", null),
    roleId: await newRole(t, organizationId, "Foreign", []),
    userId: await newUser(t, "Foreign"),
  };
  await newMembership(t, organizationId, foreign.userId, true);
  return foreign;
}

/** Inserts a user who never signs in; returns their id. */
export const newUser = (t: Service, lastName: string) =>
  idFrom(
    t,
    `INSERT INTO users (email, first_name, last_name, language, email_verified_at)
     VALUES (gen_random_uuid() || '@example.com', 'Eve', $1, 'EN', now()) RETURNING id`,
    [lastName],
  );
const idFrom = async (t: Service, text: string, values: unknown[]) =>
  exactlyOne(await t.sql<{ id: string }>(text, values)).id;
const newOrganization = (t: Service) =>
  idFrom(t, "INSERT INTO organizations (name, slug) VALUES ('Random', $1) RETURNING id", [
    crypto.randomUUID(),
  ]);
const newUnit = (t: Service, organizationId: string, name: string, parentId: string | null) =>
  idFrom(t, "INSERT INTO units (organization_id, name, parent_id) VALUES ($1, $2, $3) RETURNING id", [
    organizationId,
    name,
    parentId,
  ]);
const newRole = (t: Service, organizationId: string, name: string, permissions: string[]) =>
  idFrom(t, "INSERT INTO roles (organization_id, name, permissions) VALUES ($1, $2, $3) RETURNING id", [
    organizationId,
    name,
    permissions,
  ]);
const newMembership = (t: Service, organizationId: string, userId: string, isLive: boolean) =>
  idFrom(
    t,
    "INSERT INTO memberships (organization_id, user_id, is_deleted) VALUES ($1, $2, $3) RETURNING id",
    [organizationId, userId, !isLive],
  );
