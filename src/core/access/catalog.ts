import { declared, type NameOf } from "../definitions/features.ts";

/** The scope of a permission: it can be held in a unit and all units below it, or only in the whole organization. */
export type Scope = "unit" | "organization";

/** A permission with its scope and what it allows. `"member"` adds it to the built-in role `MEMBER`. */
export type PermissionEntry = readonly [scope: Scope, text: string, role?: "member"];

/** The name of a permission that a feature declares (rules 12.2). */
export type Permission = NameOf<"permissions">;

let catalog: ReturnType<typeof build> | null = null;

/** Returns the permissions of all features. They are composed after this module was loaded. */
const read = () => (catalog ??= build());

function build() {
  const entries = Object.entries(declared("permissions")) as [Permission, PermissionEntry][];
  const namesOf = (isWanted: (entry: PermissionEntry) => boolean) =>
    entries.filter(([, entry]) => isWanted(entry)).map(([name]) => name);
  const names = namesOf(() => true);
  return {
    list: entries.map(([name, [scope, description]]) => ({ name, scope, description })),
    names,
    all: new Set<string>(names),
    inUnits: new Set<string>(namesOf(([scope]) => scope === "unit")),
    ofMembers: namesOf(([, , role]) => role === "member"),
  };
}

/** Returns every permission with its scope and description. */
export const permissions = () => read().list;

export const permissionNames = (): Permission[] => read().names;

/** Whether a feature declares a permission with this name. Other names grant nothing. */
export const isKnownPermission = (name: string): name is Permission => read().all.has(name);

/** Whether a permission has an effect in a role that is assigned in a unit. */
export const isUnitScoped = (name: string): name is Permission => read().inUnits.has(name);

/**
 * Returns the known permissions among these names, each once, sorted as in the catalog. Drops unknown names.
 */
export function inCatalogOrder(names: Iterable<string>): Permission[] {
  const included = new Set(names);
  return read().names.filter((name) => included.has(name));
}

export type BuiltInRole = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly permissions: Permission[];
};

export const ORG_ADMIN: BuiltInRole = {
  id: "00000000-0000-7000-8000-000000000001",
  name: "ORG_ADMIN",
  description: "Everything in the organization",
  get permissions() {
    return read().names;
  },
};
const UNIT_ADMIN: BuiltInRole = {
  id: "00000000-0000-7000-8000-000000000002",
  name: "UNIT_ADMIN",
  description: "Everything that can be done in a unit",
  get permissions() {
    return read().names.filter(isUnitScoped);
  },
};
/** The default role of the platform, for organizations without their own default role. */
export const MEMBER: BuiltInRole = {
  id: "00000000-0000-7000-8000-000000000003",
  name: "MEMBER",
  description: "Sees the organization and works on one's own records",
  get permissions() {
    return read().ofMembers;
  },
};

/** The built-in roles are the same in every organization; only `bun run migrate` changes them. */
export const builtInRoles = [ORG_ADMIN, UNIT_ADMIN, MEMBER];
