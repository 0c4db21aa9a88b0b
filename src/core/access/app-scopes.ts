import { allowsApps } from "./access.ts";
import { type Permission, permissions } from "./catalog.ts";

/** What a person may allow an app: the permissions of one entity that only read, or the others. */
export type AppScope = {
  /** Such as `members:read`. */
  name: string;
  write: boolean;
  permissions: Permission[];
  description: string;
};

type Route = Parameters<typeof allowsApps>[0];
let routesOfFeatures: () => readonly Route[] = () => [];

/** Sets from where the scopes are computed: the routes of all features. */
export const setRoutes = (routes: () => readonly Route[]): void => {
  routesOfFeatures = routes;
};

type Scopes = { list: AppScope[]; ofPermission: ReadonlyMap<string, string> };
let scopes: Scopes | null = null;

/** `Members.Read` is of `members`, `ServiceAccounts.Read` of `service-accounts`. */
const entityOf = (permission: string) =>
  (permission.split(".")[0] ?? "").replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
const isRead = (permission: string) => (permission.split(".")[1] ?? "").startsWith("Read");
const scopeNameOf = (permission: string) =>
  `${entityOf(permission)}:${isRead(permission) ? "read" : "write"}`;

/** Returns the permissions that the routes for apps ask for. */
function neededByApps(routes: readonly Route[]): Set<string> {
  const needed = routes
    .filter((route) => allowsApps(route))
    .flatMap(({ access }) =>
      typeof access === "object"
        ? [access.permission, ...(access.any === undefined ? [] : [access.any])]
        : [],
    );
  return new Set(needed);
}

/** Computes the scopes from the routes and permissions of all features, sorted as the permissions are. */
function read(): Scopes {
  if (scopes !== null) return scopes;
  const needed = neededByApps(routesOfFeatures());
  const names = new Set(permissions().flatMap(({ name }) => (needed.has(name) ? [scopeNameOf(name)] : [])));
  const list = [...names].map((name) => {
    const held = permissions().filter((permission) => scopeNameOf(permission.name) === name);
    const write = isWrite(name);
    // A scope to read has all that reads; one to write only what the routes for apps ask for.
    const given = held.filter((permission) => !write || needed.has(permission.name));
    return {
      name,
      write,
      permissions: given.map((permission) => permission.name),
      description: given.map(({ description }) => description).join("; "),
    };
  });
  scopes = {
    list,
    ofPermission: new Map(list.flatMap(({ name, permissions: of }) => of.map((one) => [one, name] as const))),
  };
  return scopes;
}

const isWrite = (scope: string) => scope.endsWith(":write");

/** Whether scopes let an app change nothing. */
export const isReadOnly = (granted: readonly string[]): boolean => !granted.some(isWrite);

/** Returns every scope (rules 46). */
export const appScopes = (): AppScope[] => read().list;

export const appScopeNames = (): string[] => read().list.map(({ name }) => name);

/** Returns the scope that has a permission; null if no app can get it. */
export const scopeOf = (permission: string): string | null => read().ofPermission.get(permission) ?? null;

/** Returns those of the permissions that the scopes have. */
export const withinScopes = <Name extends string>(
  names: readonly Name[],
  granted: readonly string[],
): Name[] => names.filter((name) => granted.includes(scopeOf(name) ?? ""));
