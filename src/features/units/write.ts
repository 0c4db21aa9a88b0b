import type { z } from "zod";
import {
  assertNoPrivilegeEscalation,
  audit,
  authorize,
  changedFields,
  endOf,
  event,
  exactlyOne,
  findLimit,
  isWithin,
  notFound,
  type OrganizationCall,
  type Queryable,
  type Tx,
  transaction,
  unitForbidden,
} from "#kit";
import { appNotAllowed, isUnitHeld, withEndedApps } from "#kit/inside";
import * as queries from "#sql/units";
import { isUnitInvitedTo } from "../../core/accounts/pending-invitations.ts";
import { addUnits, authorizeBelow, checkParent, newUnitIds } from "./add.ts";
import { unitCycle, unitNotEmpty } from "./errors.ts";
import { countUnits, showUnit } from "./read.ts";
import type { CreateUnitBody, UpdateUnitBody } from "./schemas.ts";
import { assertDepth, levelsAbove } from "./size.ts";

/**
 * Creates a unit below another, or at the root.
 * @throws validationFailed for an unknown parent; unitForbidden outside the caller's reach; sizeLimitReached;
 * planLimitReached
 */
export async function createUnit(
  tx: Tx<OrganizationCall>,
  { name, parentId }: z.output<typeof CreateUnitBody>,
) {
  const { organizationId, db } = tx;
  await authorizeBelow(tx, parentId);
  const used = await countUnits(db, organizationId);
  const max = await findLimit(tx, { organizationId, limit: "units", caller: tx.actor });
  const depth = await levelsAbove(db, parentId);
  const [id = null] = await newUnitIds(db, 1);
  return exactlyOne(await addUnits(tx, [{ id, parentId, name, depth }], { used, max }));
}

/**
 * Renames and moves a unit. A move requires the permission in the old and the new parent, and must not give the
 * caller permissions over the unit that they do not hold already (privilege escalation).
 * @throws validationFailed, notFound, unitForbidden, permissionNotHeld, unitCycle, sizeLimitReached
 */
export async function updateUnit(
  call: OrganizationCall,
  id: string,
  change: z.output<typeof UpdateUnitBody>,
) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Units.Update");
    await checkParent(tx.db, organizationId, change.parentId ?? null);
    const reach = await permissions.reach("Units.Update", tx.db);
    const unit = await findUnit(tx.db, organizationId, id);
    if (!isWithin(reach, id)) throw notFound();

    const { name = unit.name, parentId = unit.parentId } = change;
    const moves = parentId !== unit.parentId;
    // A move changes who reaches whom, which no app decides.
    if (change.parentId !== undefined && tx.actor.type === "user" && tx.actor.app)
      throw appNotAllowed("Apps may not move a unit; without `parentId` it can be renamed");
    if (moves) {
      if (!isWithin(reach, unit.parentId) || !isWithin(reach, parentId)) throw unitForbidden();
      await assertNoPrivilegeEscalation(tx, permissions, { from: [id], to: [parentId] });
      if (await isBelow(tx.db, parentId, id)) throw unitCycle();
      await assertDepth(tx.db, { parentId, moved: unit });
    }
    const changed = changedFields({ name: unit.name, parentId: unit.parentId }, { name, parentId });
    if (changed === null) return showUnit(tx.db, organizationId, id);
    await queries.updateUnit.run({ id, organizationId, name, parentId }, tx.db);
    const target = { type: "unit", id } as const;
    await audit(tx, "UNIT_UPDATED", { organizationId, target, metadata: changed });
    const object = await showUnit(tx.db, organizationId, id);
    // A unit that moves away also affects administrators above its old place, so the event reaches them, too.
    const units = [id, ...(moves && unit.parentId !== null ? [unit.parentId] : [])];
    await event(tx, "unit.updated", { organizationId, id, object, previous: changed.from, reach: { units } });
    return object;
  });
}

/**
 * Deletes a unit that has no sub-units, members, service accounts or pending invitations.
 * @throws notFound; unitForbidden if its parent is out of the caller's reach; unitNotEmpty
 */
export async function deleteUnit(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Units.Delete");
    const reach = await permissions.reach("Units.Delete", tx.db);
    const unit = await findUnit(tx.db, organizationId, id);
    if (!isWithin(reach, id)) throw notFound();
    if (!isWithin(reach, unit.parentId)) throw unitForbidden();
    const isInUse = exactlyOne(await queries.isUnitInUse.run({ id, organizationId }, tx.db)).isInUse;
    if (isInUse || (await isUnitInvitedTo(tx.db, id)) || (await isUnitHeld(tx, id))) throw unitNotEmpty();

    const object = () => showUnit(tx.db, organizationId, id);
    await event(tx, "unit.deleted", { organizationId, id, object, reach: { units: [id] } });
    await queries.deleteUnit.run({ id, organizationId }, tx.db);
    const endedApps = await endOf("unit", tx, id);
    const metadata = { name: unit.name, parentId: unit.parentId, ...withEndedApps(endedApps) };
    await audit(tx, "UNIT_DELETED", { organizationId, target: { type: "unit", id }, metadata });
  });
}

/** Deletes the units of a deleted organization. */
export async function deleteUnitsOf(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteUnitsOfOrganization.run({ organizationId }, tx.db);
}

async function findUnit(db: Queryable, organizationId: string, id: string) {
  const [unit] = await queries.findUnit.run({ organizationId, id }, db);
  if (unit === undefined) throw notFound();
  return unit;
}

async function isBelow(db: Queryable, unitId: string | null, topId: string): Promise<boolean> {
  if (unitId === null) return false;
  const [below] = await queries.isUnitBelow.run({ unitId, topId }, db);
  return below !== undefined;
}
