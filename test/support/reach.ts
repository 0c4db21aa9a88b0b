import { ORG_ADMIN, permissions } from "../../src/core/access/catalog.ts";

/*
 * A model of permissions and reach in one organization (rules 10 to 14), also with outdated access tokens (rules
 * 6.11). It computes with sets and uses no SQL and no code of the service except the permission catalog, because the
 * service is compared with it.
 */

export type Unit = { id: string; name: string; parentId: string | null; isLive: boolean };
export type Role = { id: string; name: string; permissions: readonly string[] };
export type RoleAssignment = { roleId: string; unitId: string | null };
export type Person = {
  userId: string;
  lastName: string;
  isMember: boolean;
  assignments: RoleAssignment[];
  links: Set<string>;
};

/** The permissions of a member: organization-wide, and in units including their sub-units. */
export type Grants = {
  everywhere: Set<string>;
  inUnits: { root: string; permissions: Set<string> }[];
};

const unitScoped = new Set<string>(
  permissions()
    .filter(({ scope }) => scope === "unit")
    .map(({ name }) => name),
);
const allNames = permissions().map(({ name }) => name);

export const isSame = (one: RoleAssignment, other: RoleAssignment) =>
  one.roleId === other.roleId && one.unitId === other.unitId;

/** The units, roles and members of an organization in the model. */
export class ExpectedOrganization {
  readonly units = new Map<string, Unit>();
  readonly roles = new Map<string, Role>();
  readonly people = new Map<string, Person>();

  /** Returns the live units depth-first, siblings sorted by name. */
  liveUnits(parentId: string | null = null): Unit[] {
    return [...this.units.values()]
      .filter((unit) => unit.isLive && unit.parentId === parentId)
      .sort((one, other) => inOrder([fold(one.name), one.id], [fold(other.name), other.id]))
      .flatMap((unit) => [unit, ...this.liveUnits(unit.id)]);
  }

  isLiveUnit(id: string | null): boolean {
    return id !== null && this.units.get(id)?.isLive === true;
  }

  /** Returns a unit and its ancestors, starting with the unit. */
  lineOf(id: string | null): string[] {
    return id === null ? [] : [id, ...this.lineOf(this.units.get(id)?.parentId ?? null)];
  }

  covered(roots: Iterable<string>): Set<string> {
    const liveRoots = new Set([...roots].filter((root) => this.isLiveUnit(root)));
    const below = this.liveUnits().filter(({ id }) => this.lineOf(id).some((above) => liveRoots.has(above)));
    return new Set(below.map(({ id }) => id));
  }

  members(): Person[] {
    return [...this.people.values()].filter(({ isMember }) => isMember);
  }

  permissionsOf(roleId: string): readonly string[] {
    return this.roles.get(roleId)?.permissions ?? [];
  }

  /** Returns the grants of a member. A role assigned in a unit does not grant its organization-only permissions. */
  grantsOf(userId: string): Grants {
    const held: Grants = { everywhere: new Set(), inUnits: [] };
    const person = this.people.get(userId);
    for (const { roleId, unitId } of person?.isMember ? person.assignments : []) {
      const names = this.permissionsOf(roleId);
      if (unitId === null) for (const name of names) held.everywhere.add(name);
      else
        held.inUnits.push({
          root: unitId,
          permissions: new Set(names.filter((name) => unitScoped.has(name))),
        });
    }
    return held;
  }
}

/** The permissions of a caller. Each source (the access token, the current state) must grant a permission. */
export class ExpectedPermissions {
  constructor(
    private readonly world: ExpectedOrganization,
    private readonly sources: Grants[],
  ) {}

  has(permission: string): boolean {
    return this.sources.every(
      ({ everywhere, inUnits }) =>
        everywhere.has(permission) || inUnits.some((grant) => grant.permissions.has(permission)),
    );
  }

  /** Returns the units in which a permission is held, or null if it is held organization-wide. */
  reach(permission: string): Set<string> | null {
    const limits = this.sources.flatMap(({ everywhere, inUnits }) => {
      if (everywhere.has(permission)) return [];
      const grants = inUnits.filter((grant) => grant.permissions.has(permission));
      return [this.world.covered(grants.map(({ root }) => root))];
    });
    return limits.length === 0 ? null : limits.reduce((kept, limit) => kept.intersection(limit));
  }

  /** Whether all of these permissions are held in a unit, or organization-wide if `place` is null. */
  holds(names: readonly string[], place: string | null): boolean {
    const line = new Set(this.world.lineOf(place));
    return this.sources.every(({ everywhere, inUnits }) =>
      names.every(
        (name) =>
          everywhere.has(name) ||
          inUnits.some(({ root, permissions }) => line.has(root) && permissions.has(name)),
      ),
    );
  }

  /** Whether any permission is held at one of the places `to` but at none of the places `from`. */
  gains(from: (string | null)[], to: (string | null)[]): boolean {
    const isHeldAt = (places: (string | null)[], name: string) =>
      places.some((place) => this.holds([name], place));
    return allNames.some((name) => isHeldAt(to, name) && !isHeldAt(from, name));
  }

  /**
   * Whether linking a person to further units gives the caller a permission over the person that they do not have
   * yet.
   */
  gainsOver({ links }: Person, further: string[]): boolean {
    return this.gains([null, ...links], further);
  }

  /** Whether a caller has every permission of these assignments at its place, as needed to grant or revoke them. */
  holdsAll(assignments: RoleAssignment[]): boolean {
    return assignments.every(({ roleId, unitId }) => this.holds(this.world.permissionsOf(roleId), unitId));
  }
}

type Reach = Set<string> | null;
export const isWithin = (reach: Reach, place: string | null) =>
  reach === null || (place !== null && reach.has(place));

const isLinkedWithin = (reach: Reach, { links }: Person) =>
  reach === null || [...links].some((unit) => reach.has(unit));

/** Predicts the result of each request. */
export class Oracle {
  constructor(private readonly world: ExpectedOrganization) {}

  units(power: ExpectedPermissions, filter: string[] | null) {
    const reach = power.reach("Units.Read");
    const filtered = filter === null ? null : this.world.covered(filter);
    return this.world
      .liveUnits()
      .filter(({ id }) => isWithin(reach, id) && isWithin(filtered, id))
      .map((unit) => ({
        ...this.place(unit),
        memberCount: this.world.members().filter(({ links }) => links.has(unit.id)).length,
      }));
  }

  /**
   * Lists the units in which the caller may assign a role: they have the permission to assign, and all permissions of
   * the role.
   */
  unitOptions(power: ExpectedPermissions) {
    const roles = [...this.world.roles.values()];
    return this.world
      .liveUnits()
      .filter(({ id }) => roles.some((role) => this.mayGive(power, role, id)))
      .map((unit) => this.place(unit));
  }

  private place({ id, name, parentId }: Unit) {
    return { id, name, parentId, depth: this.world.lineOf(id).length - 1 };
  }

  /**
   * Lists the roles that the caller may assign somewhere: they have the permission to assign, and all permissions of
   * the role.
   */
  roleOptions(power: ExpectedPermissions): string[] {
    const places = [null, ...this.world.liveUnits().map(({ id }) => id)];
    return [...this.world.roles.values()]
      .filter((role) => places.some((place) => this.mayGive(power, role, place)))
      .map(({ id }) => id)
      .sort();
  }

  private mayGive(
    power: ExpectedPermissions,
    { permissions }: { permissions: readonly string[] },
    place: string | null,
  ): boolean {
    const gives = ["Members.UpdateRoles", "Invitations.Create"].some((name) => power.holds([name], place));
    return gives && power.holds(permissions, place);
  }

  /** Lists members. With a unit filter, a member must be linked to a unit that is in both the reach and the filter. */
  members(power: ExpectedPermissions, { unit, member }: { unit: string[] | null; member: string[] | null }) {
    const reach = power.reach("Members.Read");
    const filtered = unit === null ? null : this.world.covered(unit);
    const both = filtered === null ? reach : new Set([...filtered].filter((id) => isWithin(reach, id)));
    return this.world
      .members()
      .filter((person) => isLinkedWithin(both, person))
      .filter(({ userId }) => member === null || member.includes(userId))
      .sort((one, other) => inOrder([fold(one.lastName), one.userId], [fold(other.lastName), other.userId]))
      .map((person) => this.shown(person, reach));
  }

  member(power: ExpectedPermissions, userId: string) {
    const reach = power.reach("Members.Read");
    const person = this.find(userId, reach);
    return person === null ? null : this.shown(person, reach);
  }

  /** Returns a member with only the assignments and units inside the reach. */
  shown({ userId, assignments, links }: Person, reach: Reach) {
    return {
      userId,
      assignments: assignments
        .filter(({ unitId }) => isWithin(reach, unitId))
        .map(({ roleId, unitId }) => `${roleId} in ${unitId}`)
        .sort(),
      units: [...links].filter((id) => isWithin(reach, id)).sort(),
    };
  }

  private find(userId: string, reach: Reach): Person | null {
    const person = this.world.people.get(userId);
    return person?.isMember && isLinkedWithin(reach, person) ? person : null;
  }

  /** Like the other writes below: returns the expected outcome, and applies it to the model if it is allowed. */
  changeRoles(power: ExpectedPermissions, userId: string, wanted: RoleAssignment[]): string {
    if (!power.has("Members.UpdateRoles")) return "403 FORBIDDEN";
    const reach = power.reach("Members.UpdateRoles");
    const exist = wanted.every(
      ({ roleId, unitId }) =>
        this.world.roles.has(roleId) && (unitId === null || this.world.isLiveUnit(unitId)),
    );
    if (!exist || (reach === null && wanted.length === 0)) return "400 VALIDATION_FAILED";
    const person = this.find(userId, reach);
    if (person === null) return "404 NOT_FOUND";
    if (!wanted.every(({ unitId }) => isWithin(reach, unitId))) return "403 UNIT_FORBIDDEN";

    const had = person.assignments.filter(({ unitId }) => isWithin(reach, unitId));
    const added = wanted.filter((one) => !had.some((other) => isSame(one, other)));
    const removed = had.filter((one) => !wanted.some((other) => isSame(one, other)));
    if (!power.holdsAll([...added, ...removed])) return "403 PERMISSION_NOT_HELD";
    const linked = added.flatMap(({ unitId }) => unitId ?? []);
    if (power.gainsOver(person, linked)) return "403 PERMISSION_NOT_HELD";
    const kept = person.assignments.filter((one) => !removed.includes(one));
    if (kept.length + added.length === 0) return "409 CONFLICT";
    if (removed.some(isAdministration) && this.isLastAdmin(userId)) return "409 LAST_ADMIN";
    person.assignments = [...kept, ...added];
    for (const { unitId } of added) if (unitId !== null) person.links.add(unitId);
    return "200";
  }

  changeUnits(power: ExpectedPermissions, userId: string, wanted: string[]): string {
    if (!power.has("Members.UpdateUnits")) return "403 FORBIDDEN";
    const reach = power.reach("Members.UpdateUnits");
    if (!wanted.every((id) => this.world.isLiveUnit(id))) return "400 VALIDATION_FAILED";
    const person = this.find(userId, reach);
    if (person === null) return "404 NOT_FOUND";
    if (!wanted.every((id) => isWithin(reach, id))) return "403 UNIT_FORBIDDEN";
    if (power.gainsOver(person, wanted)) return "403 PERMISSION_NOT_HELD";
    const removed = [...person.links].filter((id) => isWithin(reach, id) && !wanted.includes(id));
    if (person.assignments.some(({ unitId }) => unitId !== null && removed.includes(unitId)))
      return "409 CONFLICT";
    for (const id of removed) person.links.delete(id);
    for (const id of wanted) person.links.add(id);
    return "200";
  }

  /** With a reach limited to units, a member can be removed only if all their assignments and units are inside it. */
  remove(power: ExpectedPermissions, callerId: string, userId: string): string {
    if (!power.has("Members.Delete")) return "403 FORBIDDEN";
    const reach = power.reach("Members.Delete");
    const person = this.find(userId, reach);
    if (person === null) return "404 NOT_FOUND";
    const places = [...person.links, ...person.assignments.map(({ unitId }) => unitId)];
    if (!places.every((place) => isWithin(reach, place))) return "404 NOT_FOUND";
    if (!power.holdsAll(person.assignments)) return "403 PERMISSION_NOT_HELD";
    if (userId === callerId) return "409 CONFLICT";
    if (person.assignments.some(isAdministration) && this.isLastAdmin(userId)) return "409 LAST_ADMIN";
    Object.assign(person, { isMember: false, assignments: [], links: new Set() });
    return "204";
  }

  /** Whether there are other members, none of whom has ORG_ADMIN organization-wide. */
  private isLastAdmin(userId: string): boolean {
    const others = this.world.members().filter((person) => person.userId !== userId);
    return others.length > 0 && !others.some(({ assignments }) => assignments.some(isAdministration));
  }

  /** Returns the expected outcome; the caller adds the unit to the model. */
  createUnit(power: ExpectedPermissions, parentId: string | null): string {
    if (!power.has("Units.Create")) return "403 FORBIDDEN";
    if (parentId !== null && !this.world.isLiveUnit(parentId)) return "400 VALIDATION_FAILED";
    return isWithin(power.reach("Units.Create"), parentId) ? "201" : "403 UNIT_FORBIDDEN";
  }

  updateUnit(
    power: ExpectedPermissions,
    id: string,
    change: { name?: string; parentId?: string | null },
  ): string {
    if (!power.has("Units.Update")) return "403 FORBIDDEN";
    const reach = power.reach("Units.Update");
    if (typeof change.parentId === "string" && !this.world.isLiveUnit(change.parentId))
      return "400 VALIDATION_FAILED";
    const unit = this.world.units.get(id);
    if (!unit?.isLive || !isWithin(reach, id)) return "404 NOT_FOUND";
    const { parentId = unit.parentId, name = unit.name } = change;
    if (parentId !== unit.parentId) {
      if (!isWithin(reach, unit.parentId) || !isWithin(reach, parentId)) return "403 UNIT_FORBIDDEN";
      if (power.gains([id], [parentId])) return "403 PERMISSION_NOT_HELD";
      if (this.world.lineOf(parentId).includes(id)) return "409 UNIT_CYCLE";
    }
    Object.assign(unit, { parentId, name });
    return "200";
  }

  deleteUnit(power: ExpectedPermissions, id: string): string {
    if (!power.has("Units.Delete")) return "403 FORBIDDEN";
    const reach = power.reach("Units.Delete");
    const unit = this.world.units.get(id);
    if (!unit?.isLive || !isWithin(reach, id)) return "404 NOT_FOUND";
    if (!isWithin(reach, unit.parentId)) return "403 UNIT_FORBIDDEN";
    const isInUse =
      this.world.liveUnits().some(({ parentId }) => parentId === id) ||
      this.world.members().some(({ links }) => links.has(id));
    if (isInUse) return "409 UNIT_NOT_EMPTY";
    unit.isLive = false;
    return "204";
  }
}

const isAdministration = ({ roleId, unitId }: RoleAssignment) => roleId === ORG_ADMIN.id && unitId === null;

/** Removes case and accents from a text. */
const fold = (text: string) =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");

function inOrder([one, id]: [string, string], [other, otherId]: [string, string]): number {
  return Buffer.compare(Buffer.from(`${one}\0${id}`), Buffer.from(`${other}\0${otherId}`));
}
