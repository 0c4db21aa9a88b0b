import type { z } from "zod";
import {
  declared,
  type OrganizationCall,
  type OverviewPart,
  type Period,
  type Permission,
  reach,
  seriesOf,
} from "#kit";
import * as queries from "#sql/overviews/organization";
import { hasFeature } from "../../core/plans/effective-plan.ts";
import { listOrganizationEvents } from "../audit/read.ts";
import { listMembers } from "../members/read.ts";
import { FIRST, needsAttention } from "./attention.ts";
import { helpdeskFigures, type TicketsInReach, ticketsInReach } from "./helpdesk.ts";
import { lastDays, type OverviewQuery } from "./period.ts";
import type { OrganizationOverview } from "./schemas.ts";
import { planUsage } from "./usage.ts";

const MAX_UNITS = 50;
const MAX_EVENTS = 8;
/** The minimum number of days whose usage is computed, because its trend is computed from that many. */
const MIN_DAYS_OF_USE = 30;

type Overview = z.output<typeof OrganizationOverview>;

/**
 * Returns the figures of the organization that the caller may see. Each figure summarizes a list, and has the
 * permission, reach and conditions of that list; it is null without the permission. The figures are read one after
 * the other, so that an overview uses no more connections than a list.
 */
export async function organizationOverview(
  call: OrganizationCall,
  query: z.output<typeof OverviewQuery>,
): Promise<Overview> {
  const { permissions, db } = call;
  const recent = await lastDays(db, { ...query, days: Math.max(query.days, MIN_DAYS_OF_USE) });
  const period = query.days >= MIN_DAYS_OF_USE ? recent : await lastDays(db, query);
  const ifHeld = async <Part>(permission: Permission, read: () => Promise<Part>) =>
    permissions.holdsAnywhere(permission) ? await read() : null;

  const plan = await ifHeld("Billing.Read", () => planUsage(call, query.days, recent));
  const tickets = await ifHeld("Helpdesk.Read", () => ticketsInReach(call));
  const members = await ifHeld("Members.Read", () => membersInReach(call));
  const parts: Record<string, object | null> = {};
  for (const [name, part] of Object.entries(declared<OverviewPart>("overview")))
    parts[name] = await ifHeld(part.permission, () => part.read(call, period));
  return {
    days: query.days,
    needsAttention: await needsAttention(call, plan, tickets),
    members: members && (await memberFigures(call, period, members)),
    tickets: tickets && (await ticketFigures(call, period, tickets)),
    ...parts,
    signIns: members && (await failedSignIns(call, period, members)),
    plan: plan && { key: plan.key, limits: plan.limits },
    byUnit: await ifHeld("Units.Read", () => largestUnits(call)),
    activity: await ifHeld("Audit.Read", () => newestEvents(call)),
  } as Overview;
}

/** Returns the units in which the caller may read members, and those in which the caller may see their sign-ins; null for none. */
async function membersInReach(call: OrganizationCall) {
  const { permissions, organizationId, db } = call;
  return {
    organizationId,
    units: await reach(call, "Members.Read"),
    manageable: permissions.holdsAnywhere("Members.Delete")
      ? { manageableUnits: (await permissions.reach("Members.Delete", db.lists)).units }
      : null,
  };
}

type MembersInReach = Awaited<ReturnType<typeof membersInReach>>;

async function memberFigures(
  call: OrganizationCall,
  period: Period,
  { manageable, ...members }: MembersInReach,
) {
  const { lists } = call.db;
  const { from, timeZone, days } = period;
  const firstDay = days[0] ?? "";
  const { total } = await listMembers(call, { ...FIRST, unit: call.filters.units, twoFactor: null });
  const [joined, active] = await Promise.all([
    queries.countJoined.run({ ...members, from, timeZone }, lists),
    manageable && queries.countActive.run({ ...members, ...manageable, firstDay }, lists),
  ]);
  return { total, active: active && seriesOf(period, active), joined: seriesOf(period, joined) };
}

async function failedSignIns(
  call: OrganizationCall,
  period: Period,
  { manageable, ...members }: MembersInReach,
) {
  if (manageable === null) return null;
  const { from, timeZone } = period;
  const failed = await queries.countFailedSignIns.run(
    { ...members, ...manageable, from, timeZone },
    call.db.lists,
  );
  return { failed: seriesOf(period, failed) };
}

async function ticketFigures(call: OrganizationCall, period: Period, tickets: TicketsInReach) {
  const figures = await helpdeskFigures(call, period, tickets);
  const { open, opened, resolved, medianFirstReplySeconds } = figures;
  return { open, opened, resolved, medianFirstReplySeconds };
}

async function largestUnits(call: OrganizationCall) {
  const { organizationId, db } = call;
  const units = await reach(call, "Units.Read");
  const rows = await queries.listLargestUnits.run({ organizationId, units, max: MAX_UNITS }, db.lists);
  return rows.map(({ id, name, depth, members }) => ({ unit: { id, name }, depth, members }));
}

async function newestEvents(call: OrganizationCall) {
  if (!call.actor.isPlatformAdmin && !(await hasFeature(call, call.organizationId, "audit"))) return null;
  const { data } = await listOrganizationEvents(call, {
    ...NO_FILTERS,
    unit: call.filters.units,
    page: 1,
    pageSize: MAX_EVENTS,
    sort: "time",
    order: "desc",
  });
  return data;
}

const NO_FILTERS = {
  search: null,
  action: null,
  actorId: null,
  targetType: null,
  targetId: null,
  grantId: null,
  from: null,
  to: null,
  member: null,
};
