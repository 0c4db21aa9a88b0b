import type { z } from "zod";
import {
  exactlyOne,
  list,
  type OrganizationCall,
  type Queryable,
  type Service,
  type SignedInCall,
} from "#kit";
import * as events from "#sql/audit";
import { presentEvent } from "./present.ts";
import type { AuditQuery, PlatformAuditQuery } from "./schemas.ts";
import {
  type EventVisibility,
  shownUnits,
  visibilityInOrganization,
  visibilityOnPlatform,
} from "./visibility.ts";

/** Returns a page of the active organization's events that the caller may read. */
export async function listOrganizationEvents(call: OrganizationCall, query: z.output<typeof AuditQuery>) {
  return listEvents(call, query, await visibilityInOrganization(call, query));
}

/**
 * Returns a page of all events, for platform administrators. `named` are the organizations in the header
 * `X-Organization-Id`.
 */
export async function listPlatformEvents(
  call: SignedInCall,
  query: z.output<typeof PlatformAuditQuery>,
  named: string[] | null,
) {
  return listEvents(call, query, await visibilityOnPlatform(call, query, named));
}

function listEvents(
  { db }: Pick<Service, "db">,
  query: z.output<typeof AuditQuery>,
  visible: EventVisibility,
) {
  const units = shownUnits(visible);
  const fromStart = { before: null, after: null };
  return list(
    events.events,
    { db },
    { ...query, ...visible, ...fromStart },
    (row) => presentEvent(row, units),
    visible.search === null ? undefined : (params) => countFound(params, db.lists),
  );
}

/**
 * Counts the results of a search with two statements, because events with one of the found actions have an index of
 * their own.
 */
async function countFound(visible: Params, db: Queryable) {
  const { total } = exactlyOne(await events.countEvents.run(visible, db));
  if (visible.foundActions === null || visible.foundActions.length === 0) return total;
  const byAction = await events.countEvents.run({ ...visible, search: null, found: null }, db);
  return total + exactlyOne(byAction).total;
}

type Params = Parameters<typeof events.listEvents.run>[0];
