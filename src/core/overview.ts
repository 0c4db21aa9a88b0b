import { z } from "@hono/zod-openapi";
import type { Permission } from "./access/catalog.ts";
import type { OrganizationCall } from "./context.ts";

/* What features need to add figures to the organization's overview. */

/** The schema of a figure. */
export const number = (description: string, example = 3) => z.int().openapi({ description, example });
/** The schema of a day, for example of one in the requested time zone. */
export const day = (description: string) => z.iso.date().openapi({ description, example: "2026-01-31" });
export const entry = z
  .object({ day: day("The day, in the requested time zone."), count: number("The value of that day.") })
  .openapi("DayCount");
/** The schema of a value for each day. */
export const series = (description: string) => z.array(entry).describe(`${description}, oldest first.`);

/**
 * The period of an overview: its days, oldest first, in a time zone, and the moment at which the first day begins.
 */
export type Period = { timeZone: string; days: string[]; from: Date };
type Counted = { day: string; count: number };

/** Returns one count for each day of the period; 0 for a day without rows. */
export function seriesOf({ days }: Period, rows: Counted[]): Counted[] {
  const counts = new Map<string, number>();
  for (const { day, count } of rows) counts.set(day, (counts.get(day) ?? 0) + count);
  return days.map((day) => ({ day, count: counts.get(day) ?? 0 }));
}

/** A part of the organization's overview, which a feature declares by the name of its field. */
export type OverviewPart = {
  /** The permission of the list that the figures summarize; without it the field is null. */
  readonly permission: Permission;
  readonly text: string;
  readonly schema: z.ZodType;
  /** Reads the figures, with the reach and the conditions of that list. */
  readonly read: (call: OrganizationCall, period: Period) => Promise<object>;
};
