import type { z } from "zod";
import {
  exactlyOne,
  filteredUnits,
  type OrganizationCall,
  type Period,
  type ReachUnits,
  seriesOf,
} from "#kit";
import { TICKET_CATEGORIES, TICKET_STATUSES } from "#kit/inside";
import * as queries from "#sql/overviews/helpdesk";
import { asOrganizationStaff } from "../helpdesk/viewer.ts";
import type { HelpdeskOverview } from "./schemas.ts";

const OPEN = ["OPEN", "IN_PROGRESS"];

/** The organization and units of the tickets that a caller may read. */
export type TicketsInReach = { organizationId: string; units: ReachUnits };

/** Returns the organization and units of the tickets that the caller may read and asks for. @throws forbidden */
export async function ticketsInReach(call: OrganizationCall): Promise<TicketsInReach> {
  const { organizationId, filters, db } = call;
  const { scope } = await asOrganizationStaff(call, "Helpdesk.Read", null);
  return { organizationId, units: await filteredUnits([organizationId], scope, filters.units, db.lists) };
}

/** Returns the figures of tickets. */
export async function helpdeskFigures(
  { db }: OrganizationCall,
  period: Period,
  tickets: TicketsInReach,
): Promise<z.output<typeof HelpdeskOverview>> {
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

/** Counts the tickets that have waited for staff for more than a day. */
export const countWaitingTickets = async (
  { db }: OrganizationCall,
  tickets: TicketsInReach,
): Promise<number> => exactlyOne(await queries.countWaiting.run(tickets, db.lists)).total;

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
