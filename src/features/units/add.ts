import {
  assertBelow,
  auditEach,
  authorize,
  eventEach,
  isWithin,
  type OrganizationCall,
  type Queryable,
  type Tx,
  unitForbidden,
  validationFailed,
} from "#kit";
import * as queries from "#sql/units";
import { present } from "./read.ts";
import { assertLevels, assertUnitCount } from "./size.ts";

/**
 * Authorizes the caller to create units below a unit, or at the top of the tree for null. Takes the organization's lock.
 * @throws validationFailed for an unknown parent; unitForbidden outside the caller's reach
 */
export async function authorizeBelow(tx: Tx<OrganizationCall>, parentId: string | null): Promise<void> {
  const permissions = await authorize(tx, "Units.Create");
  await checkParent(tx.db, tx.organizationId, parentId);
  if (!isWithin(await permissions.reach("Units.Create", tx.db), parentId)) throw unitForbidden();
}

/** @throws validationFailed if a unit is given that does not exist */
export async function checkParent(
  db: Queryable,
  organizationId: string,
  parentId: string | null,
): Promise<void> {
  if (parentId === null) return;
  const [parent] = await queries.findUnit.run({ organizationId, id: parentId }, db);
  if (parent === undefined)
    throw validationFailed([{ path: "parentId", message: "parentId must be an existing unit" }]);
}

/** Returns ids for new units. */
export async function newUnitIds(db: Queryable, count: number): Promise<string[]> {
  return (await queries.newUnitIds.run({ count }, db)).map(({ id }) => id);
}

/** A unit to create. `depth` is the number of its ancestors. A dry run needs no ids. */
type NewUnit = { id: string | null; parentId: string | null; name: string; depth: number };

type Limits = {
  /** The number of units of the organization. */
  used: number;
  /** The plan's limit; null means unlimited. */
  max: number | null;
  /** Whether to check the size of the tree only, and not the plan's limit, and to write nothing. */
  dryRun?: boolean;
};

/**
 * Creates units, each after its parent, and returns them. Call after `authorizeBelow`.
 * @throws sizeLimitReached, planLimitReached; nothing is created then
 */
export async function addUnits(
  tx: Tx<OrganizationCall>,
  units: NewUnit[],
  { used, max, dryRun = false }: Limits,
) {
  const { organizationId } = tx;
  assertUnitCount(used + units.length);
  assertLevels(Math.max(...units.map(({ depth }) => depth)) + 1);
  if (dryRun) return [];
  assertBelow("units", max, used, units.length);

  const rows = units.map(({ id, parentId, name }) => ({ id, parentId, name }));
  const inserted = await queries.insertUnits.run({ organizationId, given: { units: rows } as never }, tx.db);
  const createdAt = new Map(inserted.map((row) => [row.id, row.createdAt]));
  const objects = units.map(({ id, ...unit }) => {
    if (id === null) throw new Error("A unit is created without an id");
    const at = createdAt.get(id);
    if (at === undefined) throw new Error("A unit was not inserted");
    return present({ ...unit, id, createdAt: at, memberCount: 0 });
  });
  const events = objects.map(({ id, name, parentId }) => ({
    organizationId,
    target: { type: "unit", id } as const,
    metadata: { name, parentId },
  }));
  await auditEach(tx, "UNIT_CREATED", events);
  const written = objects.map((object) => ({
    ...{ organizationId, id: object.id, object },
    reach: { units: [object.id] },
  }));
  await eventEach(tx, "unit.created", written);
  return objects;
}
