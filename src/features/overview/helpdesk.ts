import type { z } from "zod";
import * as queries from "#sql/overviews/helpdesk";
import type { ReachUnits } from "../../core/access/reach.ts";
import type { OrganizationCall } from "../../core/context.ts";
import { TICKET_CATEGORIES, TICKET_STATUSES } from "../../core/effects/entries.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { asOrganizationStaff } from "../helpdesk/viewer.ts";
import { filteredUnits } from "../units/filter.ts";
import { type Period, seriesOf } from "./period.ts";
import type { HelpdeskOverview } from "./schemas.ts";

const OPEN = ["OPEN", "IN_PROGRESS"];

/**
 * Returns the units to which the counted tickets are limited: the caller's reach, narrowed by the filter. @throws
 * forbidden
 */
export async function unitsOfTickets(call: OrganizationCall, filter: string[] | null): Promise<ReachUnits> {
  const { scope } = await asOrganizationStaff(call, "Helpdesk.Read", null);
  return filteredUnits([call.organizationId], scope, filter, call.db.lists);
}

/** Returns the helpdesk figures, computed from the tickets that the caller may read. @throws forbidden */
export async function helpdeskFigures(
  call: OrganizationCall,
  period: Period,
  filter: string[] | null,
): Promise<z.output<typeof HelpdeskOverview>> {
  const { organizationId, db } = call;
  const tickets = { organizationId, units: await unitsOfTickets(call, filter) };
  const { from, timeZone } = period;
  const [opened, resolved] = await Promise.all([
    queries.summarizeOpened.run({ ...tickets, from, timeZone }, db.lists),
    queries.countResolved.run({ ...tickets, from, timeZone }, db.lists),
  ]);
  const counts = await queries.countByStatusAndCategory.run(tickets, db.lists);
  const isOpen = ({ status }: { status: string }) => OPEN.includes(status);
  const hourly = opened.flatMap(({ day, hour, count }) =>
    day === null || hour === null ? [] : [{ day, hour, count }],
  );
  return {
    days: period.days.length,
    opened: seriesOf(period, hourly),
    resolved: seriesOf(period, resolved),
    open: sum(counts.filter(isOpen)),
    byCategory: TICKET_CATEGORIES.map((category) => ({
      category,
      count: sum(counts.filter((row) => isOpen(row) && row.category === category)),
    })),
    byStatus: TICKET_STATUSES.map((status) => ({
      status,
      count: sum(counts.filter((row) => row.status === status)),
    })),
    medianFirstReplySeconds: medianOf(opened.find(({ day }) => day === null)?.medianReplySeconds ?? null),
    hours: byHour(hourly),
  };
}

/**
 * Counts the tickets within the caller's reach that have waited for a reply of staff for more than a day. @throws
 * forbidden
 */
export async function countWaitingTickets(call: OrganizationCall, filter: string[] | null): Promise<number> {
  const tickets = { organizationId: call.organizationId, units: await unitsOfTickets(call, filter) };
  return exactlyOne(await queries.countWaiting.run(tickets, call.db.lists)).total;
}

const medianOf = (seconds: number | null) => (seconds === null ? null : Math.round(seconds));
const sum = (rows: { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);

/** Returns 24 hourly counts for each day of the week, Monday first. */
function byHour(rows: { day: string; hour: number; count: number }[]): number[][] {
  const hours = Array.from({ length: 7 }, () => Array<number>(24).fill(0));
  for (const { day, hour, count } of rows) {
    const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
    const counts = hours[weekday];
    if (counts !== undefined) counts[hour] = (counts[hour] ?? 0) + count;
  }
  return hours;
}
