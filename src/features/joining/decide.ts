import type { z } from "zod";
import {
  assertHeld,
  assertWithinLimit,
  audit,
  authorize,
  forbidden,
  list,
  mail,
  notFound,
  notify,
  type OrganizationCall,
  organizationIsSuspended,
  type Tx,
} from "#kit";
import { lockUsers, toAccount } from "#kit/inside";
import * as queries from "#sql/joining";
import * as accounts from "#sql/people/accounts";
import { findLiveOrganization } from "../../core/access/active-organization.ts";
import { findMembership } from "../../core/accounts/memberships.ts";
import { alreadyMember } from "../invitations/errors.ts";
import { resolveAssignments } from "../members/assignments.ts";
import { memberForEvent } from "../members/read.ts";
import { assertNotShutOut } from "../sign-on-policy/invitations.ts";
import { becomeMember, listJoinRoles } from "./become-member.ts";
import type { ApproveBody, JoinRequest, JoinRequestQuery } from "./schemas.ts";

/** Lists the open requests of the organization. */
export const listRequests = (call: OrganizationCall, query: z.output<typeof JoinRequestQuery>) =>
  list(queries.joinRequests, call, { ...query, organizationId: call.organizationId }, present);

type Row = Awaited<ReturnType<typeof queries.joinRequests.page.run>>[number];
const present = (row: Row): z.output<typeof JoinRequest> => ({
  id: row.id,
  user: { id: row.userId, email: row.email, firstName: row.firstName, lastName: row.lastName },
  domain: row.domain,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});

/**
 * Makes the person of a request a member, with the given roles or those of the domain. The caller must hold what is given.
 * @throws notFound if the request has ended; alreadyMember, permissionNotHeld, ssoRequired, planLimitReached, organizationIsSuspended
 */
export async function approve(tx: Tx<OrganizationCall>, id: string, body: z.output<typeof ApproveBody>) {
  const { organizationId } = tx;
  const permissions = await begin(tx);
  const [asked] = await queries.findRequester.run({ id, organizationId }, tx.db);
  if (asked === undefined) throw notFound();
  const { userId } = asked;
  await lockUsers(tx, [userId]);
  const [found] = await queries.findRequest.run({ id, organizationId }, tx.db);
  if (found === undefined) {
    if ((await findMembership(tx.db, { organizationId, userId })) !== null) throw alreadyMember();
    throw notFound();
  }
  const { domain, domainId, email } = found;
  const roles =
    body.assignments === undefined
      ? await listJoinRoles(tx, { organizationId, domainId })
      : await resolveAssignments(tx.db, organizationId, body.assignments);
  await assertHeld(tx, permissions, roles);
  await assertNotShutOut(tx, email);
  await assertWithinLimit(tx, { organizationId, limit: "members", caller: tx.actor });
  if ((await decide(tx, id, "approved")) === undefined) throw notFound();
  await becomeMember(tx, { organizationId, userId, domain, via: "request" }, roles);
  await tellApproved(tx, userId);
  return memberForEvent({ organizationId, db: tx.db }, userId);
}

/** Denies a request: the person may ask again after 90 days, and is not told. @throws notFound, organizationIsSuspended */
export async function deny(tx: Tx<OrganizationCall>, id: string): Promise<void> {
  const { organizationId } = tx;
  await begin(tx);
  const [found] = await queries.findRequest.run({ id, organizationId }, tx.db);
  const decided = found && (await decide(tx, id, "denied"));
  if (decided === undefined) throw notFound();
  await audit(tx, "JOIN_REQUEST_DENIED", {
    organizationId,
    target: { type: "join_request", id },
    metadata: { domain: decided.domain },
  });
}

/** Authorizes a decision: platform administrators decide, too, in an active organization. */
async function begin(tx: Tx<OrganizationCall>) {
  const permissions = await authorize(tx, "Invitations.Create");
  if (!permissions.holdsEverywhere(["Invitations.Create"])) throw forbidden();
  const { status } = await findLiveOrganization(tx.db, tx.organizationId);
  if (status === "SUSPENDED") throw organizationIsSuspended();
  return permissions;
}

async function decide(tx: Tx<OrganizationCall>, id: string, decision: "approved" | "denied") {
  const decidedById = tx.actor.type === "user" ? tx.actor.userId : null;
  const { organizationId } = tx;
  return (await queries.decideRequest.run({ id, organizationId, decision, decidedById }, tx.db))[0];
}

async function tellApproved(tx: Tx<OrganizationCall>, userId: string): Promise<void> {
  const { organizationId } = tx;
  await notify(tx, userId, "JOIN_APPROVED", { organizationId });
  const [user] = await accounts.findUser.run({ id: userId }, tx.db);
  const { name } = await findLiveOrganization(tx.db, organizationId);
  if (user !== undefined)
    await mail(tx, { kind: "joinApproved", ...toAccount(user), data: { organizationName: name } });
}
