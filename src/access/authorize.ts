import * as access from "#sql/access";
import type { OrganizationCall, SignedInCall } from "../context.ts";
import { lockOrganization } from "../db/locks.ts";
import type { Tx } from "../db/transaction.ts";
import { forbidden, notFound } from "../http/errors.ts";
import { Authority } from "./authority.ts";
import type { Permission } from "./catalog.ts";
import { holdingsOf, loadHoldings } from "./holdings.ts";

/**
 * Opens a write that hands out or takes away authority (contract 2): takes the organization's lock, builds the
 * caller's authority anew from the database, and gives back the narrower of it and of the token's.
 * @throws forbidden when the permission is not held any more; notFound when the organization is gone
 */
export async function authorize(tx: Tx<OrganizationCall>, permission: Permission | null): Promise<Authority> {
  const { actor, organizationId } = tx;
  await lockOrganization(tx, organizationId);
  if (actor.isPlatformAdmin) {
    await authorizePlatformAdmin(tx);
    const [organization] = await access.findLiveOrganization.run({ id: organizationId }, tx.db);
    if (organization === undefined) throw notFound();
    return new Authority([]);
  }
  const now = await loadHoldings(tx.db, { userId: actor.userId, organizationId });
  const then = holdingsOf(actor.claims, { live: true });
  const authority = new Authority(then === null ? [now] : [then, now]);
  if (permission !== null && !authority.holdsAnywhere(permission)) throw forbidden();
  return authority;
}

/** @throws forbidden when the caller is no platform administrator any more */
export async function authorizePlatformAdmin(tx: Tx<SignedInCall>): Promise<void> {
  const [admin] = await access.findPlatformAdmin.run({ id: tx.actor.userId }, tx.db);
  if (admin === undefined) throw forbidden();
}
