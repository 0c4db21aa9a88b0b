import type { z } from "zod";
import * as events from "#sql/audit";
import { listEventsFirstPages } from "#sql/audit.pages";
import { pageFrom } from "../../core/api/paging.ts";
import type { OrganizationCall, Service, SignedInCall } from "../../core/context.ts";
import { countRows, isUnfiltered } from "../../core/row-counts.ts";
import { ListQuery } from "../../platform/db/list-query.ts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
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

type Paging = { page: number; pageSize: number; order: "asc" | "desc" };

const listQuery = new ListQuery(events.listEvents, listEventsFirstPages);

function listEvents({ db }: Pick<Service, "db">, paging: Paging, visible: EventVisibility) {
  const units = shownUnits(visible);
  const { organizationId, viewerId: _, ...filters } = visible;
  const fromStart = { afterId: null, afterTime: null };
  const counted = isUnfiltered(filters) ? countRows("audit_events", organizationId) : null;
  return pageFrom(
    paging,
    {
      ...listQuery.pages({ ...visible, ...fromStart }, db),
      total: () => counted?.run(db.pages) ?? countEvents(visible, db.lists),
    },
    (row) => presentEvent(row, units),
  );
}

/**
 * Counts the results of a search with two statements, because events with one of the found actions have an index of
 * their own.
 */
async function countEvents(visible: EventVisibility, db: Queryable) {
  const counted = await events.countEvents.run(visible, db);
  if (visible.foundActions === null || visible.foundActions.length === 0) return counted;
  const byAction = await events.countEvents.run({ ...visible, search: null, found: null }, db);
  return [{ total: exactlyOne(counted).total + exactlyOne(byAction).total }];
}
