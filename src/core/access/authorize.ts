import * as access from "#sql/access";
import { awaitAll } from "../../platform/db/await-all.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";
import type { OrganizationCall, SignedInCall, Tx } from "../context.ts";
import { lockOrganization } from "../locks.ts";
import { Authority } from "./authority.ts";
import { type Permission, permissionNames } from "./catalog.ts";
import { forbidden, organizationIsSuspended, permissionNotHeld, unauthenticated } from "./errors.ts";
import { grantsOf, loadGrants } from "./grants.ts";

/**
 * Begins a write that grants or revokes permissions (rules 6.11): takes the organization's lock, reads the
 * caller's authority again from the database, and returns its intersection with the token's. Without a permission, it
 * is enough to be a member.
 * @throws forbidden when the permission is not held any more; notFound when the organization is gone;
 * organizationIsSuspended, for a token from before, to all but platform administrators; unauthenticated when the
 * session has ended
 */
export async function authorize(tx: Tx<OrganizationCall>, permission: Permission | null): Promise<Authority> {
  return (await authorizeIn(tx, permission)).authority;
}

/**
 * The same, with the organization, which may be gone only where no permission is asked for. All that it reads travels
 * behind the lock: each statement sees what was committed when it begins, and it begins when the lock is granted.
 */
export async function authorizeIn(tx: Tx<OrganizationCall>, permission: Permission | null) {
  const { actor, organizationId } = tx;
  const { userId, sessionId } = actor;
  const locked = lockOrganization(tx, organizationId);
  if (actor.isPlatformAdmin) {
    const found = access.findLiveOrganization.run({ id: organizationId }, tx.db);
    const [, [organization]] = await awaitAll(locked, found, authorizePlatformAdmin(tx));
    if (organization === undefined) throw notFound();
    return { authority: new Authority([]), organization };
  }
  const found = access.findOrganizationForWrite.run({ id: organizationId, userId, sessionId }, tx.db);
  const granted = loadGrants(tx.db, { userId, organizationId });
  const [, rows, now] = await awaitAll(locked, found, granted);
  const { isMember, isSessionLive, id, name, status } = exactlyOne(rows);
  const then = grantsOf(actor.claims, { live: true });
  const authority = new Authority(then === null ? [now] : [then, now]);
  if (permission === null ? !isMember : !authority.holdsAnywhere(permission)) throw forbidden();
  if (status === "SUSPENDED" && !isBilling(permission)) throw organizationIsSuspended();
  if (!isSessionLive) throw unauthenticated();
  return { authority, organization: id === null || name === null ? undefined : { id, name, status } };
}

/** Paying grants no permissions, and a suspended organization may still have to pay. */
const isBilling = (permission: Permission | null) => permission?.startsWith("Billing.") ?? false;

/**
 * Nobody can grant or revoke through a role what they do not hold there themselves.
 * @throws permissionNotHeld
 */
export async function assertHeld(
  tx: Tx,
  authority: Authority,
  assignments: { permissions: string[]; unitId: string | null }[],
): Promise<void> {
  const places = assignments.map(({ unitId }) => unitId);
  const holds = await authority.over(places, tx.db);
  if (!assignments.every(({ permissions, unitId }) => holds(permissions, unitId))) throw permissionNotHeld();
}

/**
 * Nobody can move a unit or a person to where they hold more permissions over it than now: a permission that is held at
 * one of the new places and at none of the old ones would be gained.
 * @throws permissionNotHeld
 */
export async function assertNoPrivilegeEscalation(
  tx: Tx,
  authority: Authority,
  places: { from: (string | null)[]; to: (string | null)[] },
): Promise<void> {
  if (await gainsPermission(tx, authority, places)) throw permissionNotHeld();
}

/** Whether the caller holds a permission at one of the new places that they hold at none of the old ones. */
export async function gainsPermission(
  tx: Tx,
  authority: Authority,
  { from, to }: { from: (string | null)[]; to: (string | null)[] },
): Promise<boolean> {
  const holds = await authority.over([...from, ...to], tx.db);
  const isHeldAt = (places: (string | null)[], permission: Permission) =>
    places.some((place) => holds([permission], place));
  return permissionNames.some((permission) => isHeldAt(to, permission) && !isHeldAt(from, permission));
}

/**
 * For writes that are authorized by the token alone: the flag of platform administrators, who have access to everything,
 * is read from the database. @throws forbidden, unauthenticated
 */
export async function assertStillPlatformAdmin(tx: Tx<SignedInCall>): Promise<void> {
  if (tx.actor.isPlatformAdmin) await authorizePlatformAdmin(tx);
}

/**
 * @throws forbidden when the caller is no platform administrator any more; unauthenticated when the session has ended
 */
export async function authorizePlatformAdmin(tx: Tx<SignedInCall>): Promise<void> {
  const { userId: id, sessionId } = tx.actor;
  const [admin] = await access.findPlatformAdmin.run({ id, sessionId }, tx.db);
  if (admin === undefined) throw forbidden();
  if (!admin.isSessionLive) throw unauthenticated();
}
