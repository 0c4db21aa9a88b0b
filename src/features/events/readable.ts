import { type EffectivePermissions, type EventType, eventTypes, type Permission } from "#kit";
import { eventTypeNames } from "#kit/inside";

/**
 * An event type that the caller may read: the units in which the caller holds `Events.Read`, and those in which the
 * caller holds the permission of the type. Null means the whole organization.
 */
export type ReadableType = { type: EventType; eventRoots: string[] | null; typeRoots: string[] | null };

/** Returns the event types that the caller may read, at least in one unit. */
export function readableTypes(permissions: EffectivePermissions, wanted: EventType[] | null): ReadableType[] {
  const eventRoots = permissions.roots("Events.Read");
  const rootsOf = new Map<Permission, string[] | null>();
  const types = eventTypeNames().filter((type) => wanted === null || wanted.includes(type));
  return types.flatMap((type) => {
    const { permission } = eventTypes()[type];
    if (!permissions.holdsAnywhere(permission)) return [];
    if (!rootsOf.has(permission)) rootsOf.set(permission, permissions.roots(permission));
    return [{ type, eventRoots, typeRoots: rootsOf.get(permission) ?? null }];
  });
}

/**
 * Returns the event types that this instance knows, if the caller may also read events of other types that a product
 * reported; otherwise null. The permission that another type needed is not known, so it takes those of all types, in the
 * whole organization.
 */
export function typesIfOthersAreReadable(permissions: EffectivePermissions): string[] | null {
  const ofTypes = Object.values(eventTypes()).map(({ permission }) => permission);
  return permissions.holdsEverywhere(["Events.Read", ...ofTypes]) ? eventTypeNames() : null;
}

/**
 * Returns the units of an event in which the caller holds both permissions; null if both are held in the whole
 * organization. Each path contains the ids of units from the root of the tree down to a unit of the event.
 */
export function unitsInReach({ eventRoots, typeRoots }: ReadableType, paths: string[]): Set<string> | null {
  if (eventRoots === null && typeRoots === null) return null;
  const isReached = (path: string[], roots: string[] | null) =>
    roots === null || roots.some((root) => path.includes(root));
  const units = paths
    .map((path) => path.split("/"))
    .filter((path) => isReached(path, eventRoots) && isReached(path, typeRoots));
  return new Set(units.flatMap((path) => path.at(-1) ?? []));
}
