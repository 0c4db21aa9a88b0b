import type { z } from "zod";
import { exactlyOne, type OrganizationCall } from "#kit";
import * as events from "#sql/audit";
import type { AuditHistogram, AuditHistogramQuery } from "./schemas.ts";
import { visibilityInOrganization } from "./visibility.ts";

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
