import type { Permission } from "../../core/access/catalog.ts";
import type { EffectivePermissions } from "../../core/access/effective-permissions.ts";
import { EVENT_TYPES, type EventType, eventTypes } from "../../core/effects/event-types.ts";

/**
 * A type of events that a caller may read, and the units in which Events.Read and the permission of the type are held.
 * Null: in the whole organization.
 */
export type ReadableType = { type: EventType; eventRoots: string[] | null; typeRoots: string[] | null };

/** Returns the types of events that a caller may read somewhere. */
export function readableTypes(permissions: EffectivePermissions, wanted: EventType[] | null): ReadableType[] {
  const eventRoots = permissions.roots("Events.Read");
  const rootsOf = new Map<Permission, string[] | null>();
  return (wanted === null ? EVENT_TYPES : EVENT_TYPES.filter((type) => wanted.includes(type))).flatMap(
    (type) => {
      const { permission } = eventTypes[type];
      if (!permissions.holdsAnywhere(permission)) return [];
      if (!rootsOf.has(permission)) rootsOf.set(permission, permissions.roots(permission));
      return [{ type, eventRoots, typeRoots: rootsOf.get(permission) ?? null }];
    },
  );
}

/**
 * Returns the units of an event that are in reach of both permissions; null if both are held in the whole organization.
 * A path of the event begins at the root of the tree and ends at the unit.
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
