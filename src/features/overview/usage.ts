import type { z } from "zod";
import type { OrganizationCall, Period } from "#kit";
import { planLimits } from "#kit/inside";
import { readBilling } from "../billing/read.ts";
import type { PlanUsage } from "./schemas.ts";

/** The number of recent days from which the trend of the usage is computed. */
const TREND_DAYS = 30;
const MAX_DAYS_AHEAD = 365;
const DAY_MS = 24 * 3_600_000;

/**
 * Returns the plan, and for each limit the usage at the end of each day. Today's usage equals that of `GET
 * billing`. The usage of earlier days is computed backwards from it.
 * @param recent the period that is computed; it has at least as many days as the trend needs
 */
export async function planUsage(
  call: OrganizationCall,
  days: number,
  recent: Period,
): Promise<z.output<typeof PlanUsage> & { trialEndsAt: string | null }> {
  const { organizationId, db } = call;
  const billing = await readBilling(call);
  const { from, timeZone } = recent;
  const limits = [];
  for (const { name, limit: max, used } of billing.limits) {
    const changes = await planLimits()[name].changes(db.lists, { organizationId, from, timeZone });
    const own = new Map(changes.map(({ day, change }) => [day, change]));
    const changeOf = (day: string) => own.get(day) ?? 0;
    limits.push({
      limit: name,
      used,
      max,
      series: usedByDay(recent.days, changeOf, used).slice(-days),
      reachedOn: reachedOn(recent.days.slice(-TREND_DAYS), changeOf, { used, max }),
    });
  }
  const isOnTrial = billing.plan?.source === "trial";
  return { key: billing.plan?.key ?? null, limits, trialEndsAt: isOnTrial ? billing.trialEndsAt : null };
}

type ChangeOf = (day: string) => number;

function usedByDay(days: string[], changeOf: ChangeOf, used: number) {
  let count = used;
  return days
    .toReversed()
    .map((day) => {
      const entry = { day, count: Math.max(count, 0) };
      count -= changeOf(day);
      return entry;
    })
    .reverse();
}

/**
 * Returns the day on which the usage will reach the limit if the trend continues; null if that is more than a year
 * away.
 */
function reachedOn(
  days: string[],
  changeOf: ChangeOf,
  { used, max }: { used: number; max: number | null },
): string | null {
  const today = days.at(-1);
  if (max === null || today === undefined) return null;
  if (used >= max) return today;
  const perDay = days.reduce((total, day) => total + changeOf(day), 0) / days.length;
  const ahead = perDay > 0 ? Math.ceil((max - used) / perDay) : Number.POSITIVE_INFINITY;
  if (ahead > MAX_DAYS_AHEAD) return null;
  return new Date(Date.parse(`${today}T00:00:00Z`) + ahead * DAY_MS).toISOString().slice(0, 10);
}
