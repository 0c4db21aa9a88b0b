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
import type { AuditHistogram, AuditHistogramQuery, AuditQuery, PlatformAuditQuery } from "./schemas.ts";
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

const MAX_BARS = 120;
const DAY_MS = 86_400_000;
/** The intervals of the histogram and their minimum length in ms, shortest first. */
const INTERVALS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", DAY_MS],
  ["week", 7 * DAY_MS],
  ["month", 28 * DAY_MS],
  ["year", 365 * DAY_MS],
] as const;
type Interval = (typeof INTERVALS)[number][0];

/**
 * Counts the events that `listOrganizationEvents` lists, by intervals in UTC. The interval is longer for a longer
 * period.
 */
export async function organizationHistogram(
  call: OrganizationCall,
  query: z.output<typeof AuditHistogramQuery>,
): Promise<z.output<typeof AuditHistogram>> {
  const { organizationId, db } = call;
  const visible = await visibilityInOrganization(call, query);
  const first = exactlyOne(await events.findFirstEvent.run({ organizationId }, db.lists)).time;
  const now = new Date();
  const until = query.to === null || query.to > now ? now : query.to;
  const from = query.from === null || (first !== null && first > query.from) ? first : query.from;
  if (first === null || from === null || from >= until) return { interval: "day", data: [] };
  const interval = intervalFor(from, until);
  const bars = { ...visible, interval, first: from, end: until };
  const counted = await events.countEventsByInterval.run(bars, db.lists);
  return { interval, data: counted.map((row) => ({ from: row.from.toISOString(), count: row.count })) };
}

/**
 * Returns the shortest interval that divides a period into few enough bars. The first and the last bar may be
 * incomplete.
 */
const intervalFor = (from: Date, until: Date): Interval =>
  INTERVALS.find(([, length]) => (until.getTime() - from.getTime()) / length + 1 <= MAX_BARS)?.[0] ?? "year";
