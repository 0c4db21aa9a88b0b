import type { z } from "zod";
import {
  audit,
  conflict,
  findLimit,
  lockOrganization,
  mail,
  memoizePerApp,
  notFound,
  Rate,
  type SignedInCall,
  type Tx,
  transaction,
  unauthenticated,
} from "#kit";
import { connectionFor } from "#kit/inside";
import * as queries from "#sql/joining";
import { ssoRequired } from "../../core/access/sign-on-errors.ts";
import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import { isTooMuchForJoining } from "../domains/join-roles.ts";
import { acceptPending } from "../invitations/accept.ts";
import { alreadyMember } from "../invitations/errors.ts";
import { tellHolders } from "../notifications/tell-holders.ts";
import { becomeMember, listJoinRoles } from "./become-member.ts";
import { LIMITS } from "./limits.ts";
import type { JoinableOrganizations } from "./schemas.ts";

/** The maximum number of open requests of an organization. */
const MAX_OPEN = 1_000;

const joinsOf = memoizePerApp(() => new Rate(LIMITS.joins));

/** Returns the organizations that the caller may join; none in a confined session. */
export async function listJoinable({
  db,
  actor,
}: SignedInCall): Promise<z.output<typeof JoinableOrganizations>> {
  if (actor.claims.confined || actor.isPlatformAdmin) return [];
  const rows = await queries.listJoinable.run({ userId: actor.userId, organizationId: null }, db);
  return rows.map(({ id, name, mode, requestedAt }) => ({
    ...{ id, name, mode: mode as "request" | "automatic" },
    requestedAt: requestedAt?.toISOString() ?? null,
  }));
}

type Joinable = Awaited<ReturnType<typeof queries.listJoinable.run>>[number];
type Joiner = Awaited<ReturnType<typeof queries.findJoiner.run>>[number];

/**
 * Lets the caller join an organization by the domain of the address: at once, or by a request (rules 40).
 * @throws notFound for an organization that the caller may not join; ssoRequired for whoever would be bound to its single sign-on;
 * tooManyRequests; alreadyMember; conflict if too many requests are open; unauthenticated
 */
export async function join(call: SignedInCall, organizationId: string): Promise<"member" | "requested"> {
  const { userId } = call.actor;
  return transaction(call, async (tx) => {
    await lockOrganization(tx, organizationId);
    await lockAccount(tx);
    const [joiner] = await queries.findJoiner.run({ userId, organizationId }, tx.db);
    if (joiner === undefined) throw unauthenticated();
    if (joiner.isMember) throw alreadyMember();
    const [place] = await queries.listJoinable.run({ userId, organizationId }, tx.db);
    if (place === undefined) throw notFound();
    if (joiner.isBound) throw ssoRequired(await connectionFor(tx, userId, organizationId));
    joinsOf(tx.app).consume(userId);
    const count = (outcome: "member" | "requested") =>
      tx.afterCommit.push(async () =>
        tx.app.meter.count("joins_total", { mode: place.mode as "request" | "automatic", outcome }),
      );
    if (await enters(tx, place, joiner)) {
      await queries.deleteRequest.run({ organizationId, userId }, tx.db);
      count("member");
      return "member";
    }
    await request(tx, place, joiner.email);
    count("requested");
    return "requested";
  });
}

/** Withdraws the caller's open request, if there is one. */
export async function withdraw(call: SignedInCall, organizationId: string): Promise<void> {
  await transaction(call, async (tx) => {
    await lockOrganization(tx, organizationId);
    await lockAccount(tx);
    await queries.deleteRequest.run({ organizationId, userId: tx.actor.userId }, tx.db);
  });
}

/** Makes the caller a member by a pending invitation or, where joining is automatic, by the domain. Returns whether. */
async function enters(tx: Tx<SignedInCall>, place: Joinable, joiner: Joiner): Promise<boolean> {
  const { userId } = tx.actor;
  const { id: organizationId, domain, domainId } = place;
  const { invitation } = joiner;
  if (invitation !== null && (await acceptPending(tx, invitation, userId, { existingAccount: true })))
    return true;
  if (place.mode !== "automatic" || place.wasRemoved) return false;
  const roles = await listJoinRoles(tx, { organizationId, domainId });
  // A role may have grown since it was chosen: nobody gets authority by joining.
  if (roles.some(({ permissions }) => permissions.some(isTooMuchForJoining))) return false;
  const max = await findLimit(tx, { organizationId, limit: "members" });
  if (max !== null && (await countSeats(tx.db, organizationId)) >= max) return false;
  await becomeMember(tx, { organizationId, userId, domain, via: "domain" }, roles);
  return true;
}

async function request(tx: Tx<SignedInCall>, place: Joinable, email: string): Promise<void> {
  const { id: organizationId, domain } = place;
  const [counted] = await queries.countOpenRequests.run({ organizationId }, tx.db);
  const open = counted?.count ?? 0;
  if (open >= MAX_OPEN && place.requestedAt === null) throw conflict();
  const asked = { organizationId, userId: tx.actor.userId, domain, email };
  const [inserted] = await queries.insertRequest.run(asked, tx.db);
  if (inserted === undefined) return;
  await audit(tx, "JOIN_REQUESTED", {
    organizationId,
    target: { type: "join_request", id: inserted.id },
    metadata: { domain },
  });
  const [told] = await queries.takeNotice.run({ organizationId }, tx.db);
  if (told === undefined) return;
  const count = open + 1;
  await tellHolders(
    tx,
    { organizationId, permission: "Invitations.Create" },
    ["JOIN_REQUESTED", { organizationId, count }],
    (to, organizationName) => mail(tx, { kind: "joinRequested", ...to, data: { organizationName, count } }),
  );
}
