import type { z } from "zod";
import {
  assertHeldEverywhere,
  audit,
  authorize,
  changedFields,
  conflict,
  event,
  exactlyOne,
  forbidden,
  inCatalogOrder,
  notFound,
  type OrganizationCall,
  sizeLimitReached,
  type Tx,
  transaction,
} from "#kit";
import { isRoleHeld, permissionNames } from "#kit/inside";
import * as queries from "#sql/roles";
import { isRoleInvitedTo } from "../../core/accounts/pending-invitations.ts";
import { roleInUse } from "./errors.ts";
import { findAssignableRoles, presentRole } from "./read.ts";
import type { CreateRoleBody, UpdateRoleBody } from "./schemas.ts";

/*
 * Writes of roles. To prevent privilege escalation, a caller who creates, changes or deletes a role must hold, in
 * the whole organization, every permission that the role has before and after.
 */

/** The maximum number of roles per organization, because they are always listed completely. */
const MAX_ROLES = 1_000;

/**
 * Creates a role. @throws permissionNotHeld; conflict if the name is taken, or is that of a built-in role;
 * sizeLimitReached
 */
export async function createRole(tx: Tx<OrganizationCall>, body: z.output<typeof CreateRoleBody>) {
  const { organizationId } = tx;
  const held = await authorize(tx, "Roles.Create");
  assertHeldEverywhere(held, body.permissions);
  await refuseTakenName(tx, body.name, null);
  const { count } = exactlyOne(await queries.countRoles.run({ organizationId }, tx.db));
  if (count >= MAX_ROLES)
    throw sizeLimitReached("An organization has at most 1,000 roles of its own", MAX_ROLES);
  const role = exactlyOne(await queries.insertRole.run({ organizationId, ...body }, tx.db));
  await audit(tx, "ROLE_CREATED", {
    organizationId,
    target: { type: "role", id: role.id },
    metadata: { name: body.name, permissions: body.permissions },
  });
  const object = presentRole(role);
  await event(tx, "role.created", { organizationId, id: role.id, object, reach: "organization" });
  return object;
}

/**
 * Changes a role. @throws notFound; forbidden for a built-in role; permissionNotHeld; conflict if the name is taken
 */
export async function updateRole(
  call: OrganizationCall,
  id: string,
  change: z.output<typeof UpdateRoleBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const held = await authorize(tx, "Roles.Update");
    const role = await findOwnRole(tx, id);
    const { name = role.name, description = role.description, permissions = role.permissions } = change;
    assertHeldEverywhere(held, [...role.permissions, ...permissions]);
    if (name !== role.name) await refuseTakenName(tx, name, id);

    const before = {
      name: role.name,
      description: role.description,
      permissions: inCatalogOrder(role.permissions),
    };
    const after = { name, description, permissions: inCatalogOrder(permissions) };
    const changed = changedFields(before, after);
    if (changed === null) return presentRole(role);
    const updated = exactlyOne(
      await queries.updateRole.run({ id, organizationId, ...after, known: permissionNames() }, tx.db),
    );
    await audit(tx, "ROLE_UPDATED", {
      organizationId,
      target: { type: "role", id },
      metadata: changed,
    });
    const object = presentRole(updated);
    const previous = changed.from;
    await event(tx, "role.updated", { organizationId, id, object, previous, reach: "organization" });
    return object;
  });
}

/** Deletes a role. @throws notFound; forbidden for a built-in role; permissionNotHeld; roleInUse */
export async function deleteRole(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const held = await authorize(tx, "Roles.Delete");
    const role = await findOwnRole(tx, id);
    assertHeldEverywhere(held, role.permissions);
    const isInUse = exactlyOne(await queries.isRoleInUse.run({ id, organizationId }, tx.db)).isInUse;
    const use = { organizationId, roleId: id };
    if (isInUse || (await isRoleInvitedTo(tx.db, use)) || (await isRoleHeld(tx, use))) throw roleInUse();
    await queries.deleteRole.run({ id, organizationId }, tx.db);
    const metadata = { name: role.name, permissions: inCatalogOrder(role.permissions) };
    await audit(tx, "ROLE_DELETED", { organizationId, target: { type: "role", id }, metadata });
    const object = presentRole(role);
    await event(tx, "role.deleted", { organizationId, id, object, reach: "organization" });
  });
}

/** Deletes the roles of a deleted organization. */
export async function deleteRolesOf(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteRolesOfOrganization.run({ organizationId }, tx.db);
}

/** Returns a custom role of the organization. @throws notFound; forbidden for a built-in role */
async function findOwnRole(tx: Tx<OrganizationCall>, id: string) {
  const role = (await findAssignableRoles(tx.db, tx.organizationId, [id])).get(id);
  if (role === undefined) throw notFound();
  if (role.organizationId === null) throw forbidden();
  return role;
}

async function refuseTakenName(
  tx: Tx<OrganizationCall>,
  name: string,
  exceptId: string | null,
): Promise<void> {
  const { organizationId } = tx;
  const taken = exactlyOne(await queries.isRoleNameTaken.run({ organizationId, name, exceptId }, tx.db));
  if (taken.isTaken) throw conflict();
}
