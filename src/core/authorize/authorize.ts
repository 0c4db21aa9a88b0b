import * as access from "#sql/access";
import { allSettledOrThrow } from "../../platform/db/all-settled-or-throw.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";
import { inetOf } from "../../platform/http/client-address.ts";
import type { ActingApp, SetupActor, UserActor } from "../access/access.ts";
import { invalidAppToken } from "../access/app-errors.ts";
import { operatorOf } from "../access/app-operator.ts";
import type { Permission } from "../access/catalog.ts";
import { ConfirmedPermissions } from "../access/effective-permissions.ts";
import {
  forbidden,
  ipNotAllowed,
  organizationIsSuspended,
  organizationOfKeyIsSuspended,
  permissionNotHeld,
  productKeyNotAllowed,
  unauthenticated,
} from "../access/errors.ts";
import { grantsOf, loadGrants } from "../access/grants.ts";
import type { BlockCode } from "../access/sign-on-errors.ts";
import type { AuthenticatedCall, MachineCall, OrganizationCall, Tx } from "../context.ts";
import { lockOrganization } from "../locks.ts";
import { blockOf } from "./block.ts";
import { ssoHoursOf } from "./recent-proof.ts";

/**
 * Begins a write that grants or revokes permissions (rules 6.11).
 * - Takes the organization's lock, reads the caller's permissions again from the database, and returns those that
 *   the token grants too. If `permission` is null, it is enough to be a member.
 * - For an API key, reads the permissions of its service account again.
 * @throws forbidden if the permission is no longer held anywhere. It may be held in one unit alone: the `reach` of the result decides
 * about the record
 * @throws notFound if the organization is deleted
 * @throws organizationIsSuspended if the organization was suspended after the token was signed, except for platform
 * administrators, and for changes that `worksInSuspended`
 * @throws unauthenticated if the session or the key has ended
 * @throws the error of `blockOf` if the session no longer may act in the organization
 */
export async function authorize(
  tx: Tx<OrganizationCall>,
  permission: Permission | null,
  options: AuthorizeOptions = {},
): Promise<ConfirmedPermissions> {
  return (await authorizeIn(tx, permission, options)).permissions;
}

/**
 * `worksInSuspended` is for changes that only take permissions away. The sessions of a suspended organization have
 * ended, so the access token alone authorizes such changes.
 */
type AuthorizeOptions = { worksInSuspended?: true };

/**
 * Like `authorize`, and also returns the organization (undefined only if `permission` is null).
 */
export async function authorizeIn(
  tx: Tx<OrganizationCall>,
  permission: Permission | null,
  { worksInSuspended }: AuthorizeOptions = {},
) {
  const { actor, organizationId } = tx;
  if (actor.type === "service_account") return authorizeKey({ ...tx, actor }, permission);
  if (actor.type === "setup_link") return authorizeSetup({ ...tx, actor });
  if (actor.type === "product") throw productKeyNotAllowed();
  if (actor.app) return authorizeApp(tx, { actor, app: actor.app }, permission);
  const { userId, sessionId } = actor;
  await lockOrganization(tx, organizationId);
  if (actor.isPlatformAdmin) {
    await authorizePlatformAdmin(tx);
    const [organization] = await access.findLiveOrganization.run({ id: organizationId }, tx.db);
    if (organization === undefined) throw notFound();
    return { permissions: new ConfirmedPermissions([]), organization };
  }
  const [rows, now] = await allSettledOrThrow(
    access.findOrganizationForWrite.run(
      { id: organizationId, userId, sessionId, ssoHours: ssoHoursOf(tx.app.config) },
      tx.db,
    ),
    loadGrants(tx.db, actor, organizationId),
  );
  const { isMember, isSessionLive, blockedBy, id, name, status } = exactlyOne(rows);
  const then = grantsOf(actor.claims, { live: true });
  const permissions = new ConfirmedPermissions(then === null ? [now] : [then, now]);
  if (permission === null ? !isMember : !permissions.holdsAnywhere(permission)) throw forbidden();
  const isSuspended = status === "SUSPENDED";
  if (isSuspended && !worksInSuspended && !isBilling(permission)) throw organizationIsSuspended();
  if (!isSessionLive && !(isSuspended && worksInSuspended)) throw unauthenticated();
  if (blockedBy !== null) throw await blockOf({ ...tx, actor }, organizationId, blockedBy as BlockCode);
  return { permissions, organization: id === null || name === null ? undefined : { id, name, status } };
}

/**
 * Like `authorizeIn`, for an API key: reads the key, its service account and the grants under the organization's
 * lock.
 */
async function authorizeKey(tx: Tx<MachineCall>, permission: Permission | null) {
  const { actor, organizationId, ip } = tx;
  const key = { id: organizationId, keyId: actor.keyId, serviceAccountId: actor.id, ip: inetOf(ip) };
  await lockOrganization(tx, organizationId);
  const rows = await access.findOrganizationForKeyWrite.run(key, tx.db);
  const grants = await loadGrants(tx.db, actor, organizationId);
  const { id, name, status, isKeyLive, isAddressAllowed } = exactlyOne(rows);
  if (!isKeyLive || id === null || name === null) throw unauthenticated();
  if (!isAddressAllowed) throw ipNotAllowed();
  if (status === "SUSPENDED") throw organizationOfKeyIsSuspended();
  const permissions = new ConfirmedPermissions([grants]);
  if (permission !== null && !permissions.holdsAnywhere(permission)) throw forbidden();
  return { permissions, organization: { id, name, status } };
}

/** Like `authorizeIn`, for an app: reads its token, its grant and what the person holds under the organization's lock. */
async function authorizeApp(
  tx: Tx<OrganizationCall>,
  { actor, app: { grantId, tokenHash, resource } }: { actor: UserActor; app: ActingApp },
  permission: Permission | null,
) {
  const { organizationId } = tx;
  const { config } = tx.app;
  const operator = operatorOf(config);
  await lockOrganization(tx, organizationId);
  const [organization] = await access.findOrganizationForAppWrite.run(
    { grantId, tokenHash, operator },
    tx.db,
  );
  if (organization === undefined || organization.id !== organizationId)
    throw invalidAppToken(config, resource);
  if (organization.status === "SUSPENDED") throw organizationOfKeyIsSuspended();
  const then = grantsOf(actor.claims, { live: true });
  const now = await loadGrants(tx.db, actor, organizationId);
  const permissions = new ConfirmedPermissions(then === null ? [now] : [then, now]);
  if (permission !== null && !permissions.holdsAnywhere(permission)) throw forbidden();
  return { permissions, organization };
}

/** Like `authorizeIn`, for a setup link: reads the link again under the organization's lock. */
async function authorizeSetup(tx: Tx<OrganizationCall> & { actor: SetupActor }) {
  const { actor, organizationId } = tx;
  await lockOrganization(tx, organizationId);
  const [link] = await access.findLiveSetupLink.run({ id: actor.id, organizationId }, tx.db);
  if (link === undefined) throw unauthenticated();
  if (link.isSuspended) throw organizationOfKeyIsSuspended();
  const grants = grantsOf(actor.claims);
  const { organizationName: name } = link;
  return {
    permissions: new ConfirmedPermissions(grants === null ? [] : [grants]),
    organization: { id: organizationId, name, status: "ACTIVE" },
  };
}

/**
 * Whether this is a billing permission. Billing is allowed in a suspended organization, which may still have to
 * pay; paying grants no permissions.
 */
const isBilling = (permission: Permission | null) => permission?.startsWith("Billing.") ?? false;

/**
 * Checks that the caller holds every permission of a role in the place where the role is granted or revoked.
 * @throws permissionNotHeld
 */
export async function assertHeld(
  tx: Tx,
  permissions: ConfirmedPermissions,
  assignments: { permissions: string[]; unitId: string | null }[],
): Promise<void> {
  const places = assignments.map(({ unitId }) => unitId);
  const holds = await permissions.loadPermissionsAt(places, tx.db);
  if (!assignments.every(({ permissions, unitId }) => holds(permissions, unitId))) throw permissionNotHeld();
}

/**
 * Checks that the caller holds these permissions in the whole organization. Ignores names that the catalog does not
 * contain.
 * @throws permissionNotHeld
 */
export function assertHeldEverywhere(held: ConfirmedPermissions, permissions: readonly string[]): void {
  if (!held.holdsEverywhere(permissions)) throw permissionNotHeld();
}

/**
 * Checks that the caller is still a platform administrator, for writes that are authorized by the token alone. The
 * flag is read again from the database, because platform administrators may access everything.
 * @throws forbidden, unauthenticated
 */
export async function assertStillPlatformAdmin(tx: Tx<AuthenticatedCall>): Promise<void> {
  if (tx.actor.isPlatformAdmin) await authorizePlatformAdmin(tx);
}

/**
 * Begins a write by a platform administrator; reads the administrator's flag from the database.
 * @throws forbidden if the caller is no longer a platform administrator; unauthenticated if the session has ended
 */
export async function authorizePlatformAdmin({ actor, ...tx }: Tx<AuthenticatedCall>): Promise<void> {
  if (actor.type !== "user") throw forbidden();
  const { userId: id, sessionId } = actor;
  const [admin] = await access.findPlatformAdmin.run({ id, sessionId }, tx.db);
  if (admin === undefined) throw forbidden();
  if (!admin.isSessionLive) throw unauthenticated();
}
