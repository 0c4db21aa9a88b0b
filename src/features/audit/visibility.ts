import type { z } from "zod";
import {
  exactlyOne,
  filteredUnits,
  intersection,
  isUnrestricted,
  type OrganizationCall,
  organizationScope,
  type ReachUnits,
  type Service,
  type SignedInCall,
  unitIdsOf,
  unrestricted,
} from "#kit";
import { auditActions } from "#kit/inside";
import * as events from "#sql/audit";
import { viewerOf } from "../../core/access/access.ts";
import { findUsersByEmail } from "../../core/accounts/search-by-email.ts";
import { reachIncludingDeleted } from "../units/including-deleted.ts";
import type { AuditExportQuery, PlatformAuditExportQuery } from "./schemas.ts";

type Filters = Omit<z.output<typeof AuditExportQuery>, "format" | "order">;
type PlatformFilters = Omit<z.output<typeof PlatformAuditExportQuery>, "format" | "order">;

/** The events that a caller may see: the parameters of the queries, and the units to which metadata is limited. */
export type EventVisibility = Awaited<ReturnType<typeof visibilityInOrganization>>;

/** The units to which metadata is limited; null means no restriction. */
export function shownUnits({ units }: EventVisibility): Set<string> | null {
  const ids = unitIdsOf(units);
  return ids === null ? null : new Set(ids);
}

/**
 * Returns which of the active organization's events the caller may see (rules 16.13, 16.14). With the permission in
 * the whole organization these are all events. With the permission only in units these are the events whose actor is
 * or was linked to these units, and whose target is not above them.
 */
export async function visibilityInOrganization(call: OrganizationCall, filters: Filters) {
  const { actor, organizationId } = call;
  const db = call.db.lists;
  const units = await reachIncludingDeleted(call.permissions, "Audit.Read", db);
  const reach = await call.permissions.reach("Audit.Read", db);
  const filterUnits = filters.unit && (await filteredUnits([organizationId], reach, filters.unit, db));
  const known = await fewActors(call, units, { ever: true });
  const viewerId = viewerOf(actor);
  const mine = known && [...known, viewerId];
  return parameters(call, filters, {
    organizations: [organizationId],
    units,
    filterUnits,
    viewerId,
    mine,
    hiddenUntil: await hiddenHistory(call, organizationId, units),
  });
}

/** Returns what a platform administrator may see: every event that matches the filters. */
export async function visibilityOnPlatform(
  call: SignedInCall,
  filters: PlatformFilters,
  named: string[] | null,
) {
  const { actor } = call;
  const db = call.db.lists;
  const units = unrestricted("platform administrators read every event");
  const filterUnits = filters.unit && (await filteredUnits(null, { units }, filters.unit, db));
  const organizations = intersection(filters.organization, named);
  return parameters(call, filters, {
    organizations,
    units,
    filterUnits,
    viewerId: actor.id,
    mine: null,
    hiddenUntil: null,
  });
}

type Extent = {
  organizations: string[] | null;
  units: ReachUnits;
  /** Returns those units of the filter that are in the caller's reach; null without a filter. */
  filterUnits: ReachUnits | null;
  viewerId: string;
  mine: string[] | null;
  hiddenUntil: HiddenHistory;
};

type HiddenHistory = Awaited<ReturnType<typeof hiddenHistory>>;

/**
 * Returns by user id the time before which a returned member's events are hidden from the units (rules 13.12); null
 * if there are no such members.
 */
export async function hiddenHistory({ db }: Pick<Service, "db">, organizationId: string, units: ReachUnits) {
  if (isUnrestricted(units)) return null;
  return exactlyOne(await events.findHiddenHistory.run({ organizationId, units }, db.lists)).until;
}

async function parameters(service: Service, filters: Filters, { filterUnits, mine, ...extent }: Extent) {
  const linked = filterUnits && (await fewActors(service, filterUnits, { ever: false }));
  // Only people are members: the filter finds no service account.
  const members =
    filters.member &&
    (await events.listUsersAmong.run({ ids: filters.member }, service.db.lists)).map(({ id }) => id);
  const one = filters.actorId === null ? null : [filters.actorId];
  const { organizations, units, viewerId, hiddenUntil } = extent;
  return {
    ...organizationScope(organizations),
    units,
    viewerId,
    hiddenUntil,
    actors: [mine, linked, members, one].reduce(intersection, null),
    actorUnits: filterUnits && unitIdsOf(filterUnits),
    action: filters.action,
    targetType: filters.targetType,
    targetId: filters.targetId,
    grantId: filters.grantId,
    from: filters.from,
    until: filters.to,
    search: filters.search,
    ...(await findSearched(service, filters.search, organizations)),
  };
}

/**
 * Returns what a search matches besides IP addresses and request ids: actions, ids of people by their email, and
 * ids of service accounts by their name. `found` is null if there are more ids than the service's
 * `maxUserIdsInFilter`.
 */
async function findSearched(service: Service, search: string | null, organizations: string[] | null) {
  if (search === null) return { foundActions: null, found: null };
  const max = service.app.maxUserIdsInFilter;
  const { organizationId } = organizationScope(organizations);
  const wanted = { search, organizationId, actions: Object.keys(auditActions()), max: max + 1 };
  const { actions, actors } = exactlyOne(await events.findSearched.run(wanted, service.db.lists));
  const users = organizationId === null ? await findUsersByEmail(service, search, { withDeleted: true }) : [];
  const found = users === null || actors.length > max ? null : [...users, ...actors];
  return { foundActions: actions, found };
}

/**
 * Returns the ids of the people and service accounts of units; null means no restriction, or more ids than the
 * service's `maxUserIdsInFilter`.
 */
async function fewActors(
  { app: { maxUserIdsInFilter }, db }: Service,
  units: ReachUnits,
  { ever }: { ever: boolean },
): Promise<string[] | null> {
  const unitIds = unitIdsOf(units);
  if (unitIds === null) return null;
  const actors = await events.listActorsOfUnits.run({ unitIds, ever, max: maxUserIdsInFilter + 1 }, db.lists);
  return actors.length > maxUserIdsInFilter ? null : actors.map(({ id }) => id);
}
