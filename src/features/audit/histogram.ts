import type { z } from "zod";
import * as events from "#sql/audit";
import type { OrganizationCall } from "../../core/context.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import type { AuditHistogram, AuditHistogramQuery } from "./schemas.ts";
import { visibilityInOrganization } from "./visibility.ts";

const MAX_BARS = 120;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The intervals of the histogram with their minimum length in ms, shortest first. */
const INTERVALS = [
  ["minute", 60_000],
  ["hour", HOUR_MS],
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
  const counted = await events.countEventsByInterval.run({ ...visible, interval }, db.lists);
  const counts = new Map(counted.map((row) => [row.from.getTime(), row.count]));
  const data = startsBetween(interval, from, until).map((start) => ({
    from: start.toISOString(),
    count: counts.get(start.getTime()) ?? 0,
  }));
  return { interval, data };
}

/**
 * Returns the shortest interval that divides a period into few enough bars. The first and the last bar may be
 * incomplete.
 */
const intervalFor = (from: Date, until: Date): Interval =>
  INTERVALS.find(([, length]) => (until.getTime() - from.getTime()) / length + 1 <= MAX_BARS)?.[0] ?? "year";

/** Returns the start times of all intervals in a period, as PostgreSQL's `date_trunc` computes them. */
function startsBetween(interval: Interval, from: Date, until: Date): Date[] {
  const starts: Date[] = [];
  for (let start = startOf(interval, from); start < until; start = startAfter(interval, start))
    starts.push(start);
  return starts;
}

function startOf(interval: Interval, time: Date): Date {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  if (interval === "year") return new Date(Date.UTC(year, 0));
  if (interval === "month") return new Date(Date.UTC(year, month));
  if (interval === "week") return new Date(Date.UTC(year, month, day - ((time.getUTCDay() + 6) % 7)));
  const length = interval === "day" ? DAY_MS : interval === "hour" ? HOUR_MS : 60_000;
  return new Date(Math.floor(time.getTime() / length) * length);
}

function startAfter(interval: Interval, start: Date): Date {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth()];
  if (interval === "year") return new Date(Date.UTC(year + 1, 0));
  if (interval === "month") return new Date(Date.UTC(year, month + 1));
  const length =
    interval === "week" ? 7 * DAY_MS : interval === "day" ? DAY_MS : interval === "hour" ? HOUR_MS : 60_000;
  return new Date(start.getTime() + length);
}
