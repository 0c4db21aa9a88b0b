import type { z } from "zod";
import { exactlyOne, type OrganizationCall } from "#kit";
import * as queries from "#sql/overviews/organization";
import { invitationReach } from "../invitations/read.ts";
import { listMembers } from "../members/read.ts";
import { countWaitingTickets, type TicketsInReach } from "./helpdesk.ts";
import type { OrganizationOverview } from "./schemas.ts";
import type { planUsage } from "./usage.ts";

type Attention = z.output<typeof OrganizationOverview>["needsAttention"];

/** The used share of a plan limit from which the limit is reported as nearly reached. */
const NEARLY = 0.9;

/**
 * Returns lists of the problems in the organization that need attention; null for each list that the caller may not
 * read.
 */
export async function needsAttention(
  call: OrganizationCall,
  plan: Awaited<ReturnType<typeof planUsage>> | null,
  tickets: TicketsInReach | null,
): Promise<Attention> {
  const { permissions } = call;
  const mayRead = permissions.holdsAnywhere.bind(permissions);
  return {
    waitingTickets: tickets && (await countWaitingTickets(call, tickets)),
    expiringInvitations: mayRead("Invitations.Read") ? await countExpiringInvitations(call) : null,
    membersWithoutSecondFactor: permissions.holdsEverywhere(["Members.Read", "Members.Delete"])
      ? (await listMembers(call, { ...FIRST, unit: call.filters.units, twoFactor: "off" })).total
      : null,
    limitsNearlyReached:
      plan?.limits.flatMap(({ limit, used, max }) =>
        max !== null && used >= NEARLY * max ? [{ limit, used, max }] : [],
      ) ?? null,
    trialEndsAt: plan?.trialEndsAt ?? null,
    failingWebhooks: permissions.holdsEverywhere(["Webhooks.Read"]) ? await countFailingWebhooks(call) : null,
    expiringKeys: mayRead("ServiceAccounts.Read") ? await countExpiringKeys(call) : null,
  };
}

/** List parameters for a page of one row, used to read only the total of a list of members. */
export const FIRST = {
  page: 1,
  pageSize: 1,
  sort: "joinedAt",
  order: "asc",
  search: null,
  member: null,
} as const;

async function countExpiringInvitations({ permissions, organizationId, db }: OrganizationCall) {
  const { units } = await invitationReach(permissions, "Invitations.Read", db.lists);
  return exactlyOne(await queries.countExpiringInvitations.run({ organizationId, units }, db.lists)).total;
}

async function countFailingWebhooks({ organizationId, db }: OrganizationCall) {
  return exactlyOne(await queries.countFailingWebhooks.run({ organizationId }, db.lists)).total;
}

async function countExpiringKeys({ permissions, organizationId, db }: OrganizationCall) {
  const { units } = await permissions.reach("ServiceAccounts.Read", db.lists);
  return exactlyOne(await queries.countExpiringKeys.run({ organizationId, units }, db.lists)).total;
}
