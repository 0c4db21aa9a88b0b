import type { z } from "zod";
import {
  areWithin,
  assertHeld,
  assertWithinLimit,
  audit,
  auditEach,
  authorize,
  changedFields,
  conflict,
  event,
  exactlyOne,
  notFound,
  type OrganizationCall,
  type SignedInCall,
  sizeLimitReached,
  type Tx,
  transaction,
  unitForbidden,
} from "#kit";
import { deleteKeysOf, withoutUndefined } from "#kit/inside";
import * as queries from "#sql/service-accounts";
import { roleEntry, rolesAndUnits } from "../../core/accounts/memberships.ts";
import { freeSeatsOfAccounts, takeSeatsOfAccount } from "../../core/accounts/pending-invitations.ts";
import { type NamedAssignment, resolveAssignments } from "../members/assignments.ts";
import { disableEndpointsOfCreator } from "../webhooks/disable.ts";
import { presentServiceAccount } from "./present.ts";
import { countServiceAccounts, findServiceAccount, showServiceAccount } from "./read.ts";
import type { CreateServiceAccountBody, UpdateServiceAccountBody } from "./schemas.ts";

/** The maximum number of service accounts per organization. */
const MAX_ACCOUNTS = 1_000;

/**
 * Creates a service account with its roles.
 * @throws validationFailed, unitForbidden, permissionNotHeld; conflict if the name is taken; sizeLimitReached;
 * planLimitReached
 */
export async function createServiceAccount(
  tx: Tx<OrganizationCall & SignedInCall>,
  { name, description, assignments }: z.output<typeof CreateServiceAccountBody>,
) {
  const { organizationId, actor } = tx;
  const permissions = await authorize(tx, "ServiceAccounts.Create");
  const reach = await permissions.reach("ServiceAccounts.Create", tx.db);
  const wanted = await resolveAssignments(tx.db, organizationId, assignments);
  const unitIds = wanted.map(({ unitId }) => unitId);
  if (!areWithin(reach, unitIds)) throw unitForbidden();
  await assertHeld(tx, permissions, wanted);
  await assertFreeName(tx, name, null);
  if ((await countServiceAccounts(tx.db, organizationId)) >= MAX_ACCOUNTS)
    throw sizeLimitReached("An organization has at most 1,000 service accounts", MAX_ACCOUNTS);
  const limit = "serviceAccounts" as const;
  await assertWithinLimit(tx, { organizationId, limit, caller: actor });

  const values = { organizationId, name, description, createdById: actor.userId };
  const { id } = exactlyOne(await queries.insertServiceAccount.run(values, tx.db));
  await assignRoles(tx, id, wanted);
  await audit(tx, "SERVICE_ACCOUNT_CREATED", {
    organizationId,
    target: { type: "service_account", id, unitIds },
    metadata: { name, assignments: wanted.map(roleEntry) },
  });
  const object = await showServiceAccount(tx, id, tx.db);
  await event(tx, "service_account.created", { organizationId, id, object, reach: { allUnits: unitIds } });
  return object;
}

/** Assigns roles to a service account. Call under the organization's lock. */
export async function assignRoles(
  { db, organizationId }: Tx<OrganizationCall>,
  serviceAccountId: string,
  roles: NamedAssignment[],
): Promise<void> {
  if (roles.length === 0) return;
  const values = { serviceAccountId, organizationId, ...rolesAndUnits(roles) };
  await queries.insertServiceAccountAssignments.run(values, db);
}

/** Returns the assignments of a service account, each with the permissions of its role. */
export const assignmentsOf = ({ db, organizationId }: Tx<OrganizationCall>, id: string) =>
  queries.listServiceAccountAssignments.run({ id, organizationId }, db);

/**
 * Changes name, description or status of a service account. Enabling it gives its permissions back, so the caller
 * must hold all of them. Disabling also works in a suspended organization.
 * @throws notFound, permissionNotHeld; conflict if the name is taken
 */
export async function updateServiceAccount(
  call: OrganizationCall & SignedInCall,
  id: string,
  change: z.output<typeof UpdateServiceAccountBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const options = change.enabled === true ? {} : ({ worksInSuspended: true } as const);
    const permissions = await authorize(tx, "ServiceAccounts.Update", options);
    const reach = await permissions.reach("ServiceAccounts.Update", tx.db);
    const { name, description, isEnabled: enabled } = await findServiceAccount(tx, reach, id, tx.db);
    const before = { name, description, enabled };
    const after = { ...before, ...withoutUndefined(change) };
    const assignments = await assignmentsOf(tx, id);
    if (after.enabled && !enabled) await assertHeld(tx, permissions, assignments);
    if (after.name !== name) await assertFreeName(tx, after.name, id);

    const changed = changedFields(before, after);
    if (changed === null) return showServiceAccount(tx, id, tx.db);
    const { enabled: isEnabled, ...texts } = after;
    await queries.updateServiceAccount.run({ id, organizationId, ...texts, isEnabled }, tx.db);
    if (isEnabled && !enabled) await takeSeatsOfAccount(tx, organizationId, id);
    if (!isEnabled && enabled) await freeSeatsOfAccounts(tx, organizationId, [id]);
    await audit(tx, "SERVICE_ACCOUNT_UPDATED", {
      organizationId,
      target: { type: "service_account", id, unitIds: assignments.map(({ unitId }) => unitId) },
      metadata: changed,
    });
    const object = await showServiceAccount(tx, id, tx.db);
    await event(tx, "service_account.updated", {
      organizationId,
      id,
      object,
      previous: changed.from,
      reach: { allUnits: assignments.map(({ unitId }) => unitId) },
    });
    return object;
  });
}

/**
 * Deletes a service account with its roles, and ends its keys and pending invitations.
 * @throws notFound, permissionNotHeld
 */
export async function deleteServiceAccount(call: OrganizationCall & SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "ServiceAccounts.Delete", { worksInSuspended: true });
    const reach = await permissions.reach("ServiceAccounts.Delete", tx.db);
    const { name } = await findServiceAccount(tx, reach, id, tx.db);
    const assignments = await assignmentsOf(tx, id);
    await assertHeld(tx, permissions, assignments);
    await event(tx, "service_account.deleted", {
      organizationId,
      id,
      object: () => showServiceAccount(tx, id, tx.db),
      reach: { allUnits: assignments.map(({ unitId }) => unitId) },
    });
    const [deleted] = await queries.deleteServiceAccounts.run({ id, organizationId, ofAll: false }, tx.db);
    if (deleted === undefined) throw notFound();
    await deleteKeysOf(tx, id);
    await disableEndpointsOfCreator(tx, organizationId, id);
    await audit(tx, "SERVICE_ACCOUNT_DELETED", {
      organizationId,
      target: { type: "service_account", id, unitIds: assignments.map(({ unitId }) => unitId) },
      metadata: { name, roles: assignments.map(roleEntry) },
    });
  });
}

/**
 * Disables the service accounts of an organization without members, so that their keys stop working. A later member
 * may enable them again. Call under the organization's lock.
 */
export async function disableServiceAccountsOf(tx: Tx, organizationId: string): Promise<void> {
  const disabled = await queries.disableServiceAccountsOfOrganization.run({ organizationId }, tx.db);
  if (disabled.length === 0) return;
  const ids = disabled.map(({ id }) => id);
  await freeSeatsOfAccounts(tx, organizationId, ids);
  const rows = await queries.listServiceAccountsById.run({ ids, organizationId }, tx.db);
  const accounts = rows.map(presentServiceAccount).map((object) => ({
    object,
    unitIds: object.assignments.map(({ unit }) => unit?.id ?? null),
  }));
  const change = { from: { enabled: true }, to: { enabled: false }, reason: "NO_MEMBERS" } as const;
  await auditEach(
    tx,
    "SERVICE_ACCOUNT_UPDATED",
    accounts.map(({ object: { id }, unitIds }) => ({
      organizationId,
      target: { type: "service_account", id, unitIds },
      metadata: change,
    })),
  );
  for (const { object, unitIds } of accounts)
    await event(tx, "service_account.updated", {
      organizationId,
      id: object.id,
      object,
      previous: change.from,
      reason: change.reason,
      reach: { allUnits: unitIds },
    });
}

/** Deletes the service accounts of a deleted organization, with their keys. */
export async function deleteServiceAccountsOf(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteServiceAccounts.run({ organizationId, ofAll: true }, tx.db);
}

async function assertFreeName(tx: Tx<OrganizationCall>, name: string, exceptId: string | null) {
  const { organizationId } = tx;
  const wanted = { organizationId, name, exceptId };
  if (exactlyOne(await queries.isServiceAccountNameTaken.run(wanted, tx.db)).isTaken) throw conflict();
}
