import { exactlyOne, type Queryable, sizeLimitReached } from "#kit";
import * as queries from "#sql/units";
import { countUnits } from "./read.ts";

/*
 * The maximum size of a unit tree, for every caller: a tree is listed completely, and traversed in both directions.
 * It is checked under the organization's lock, so that concurrent changes cannot exceed it together.
 */

const MAX_UNITS = 10_000;
const MAX_LEVELS = 100;

/** Checks the number of units. @throws sizeLimitReached if the organization has the maximum number of units */
export async function assertUnitCount(db: Queryable, organizationId: string): Promise<void> {
  const count = await countUnits(db, organizationId);
  if (count >= MAX_UNITS) throw sizeLimitReached("An organization has at most 10,000 units", MAX_UNITS);
}

type UnitPosition = { parentId: string | null; moved?: { id: string; parentId: string | null } };

/**
 * Checks the depth of the tree for a new unit below this parent, or for a unit that is moved there with its
 * subtree. In a tree that is already too deep, units can still move up or stay on their level.
 * @throws sizeLimitReached if the lowest unit would be too deep
 */
export async function assertDepth(db: Queryable, { parentId, moved }: UnitPosition): Promise<void> {
  const above = await levelsAbove(db, parentId);
  const below =
    moved === undefined ? 1 : exactlyOne(await queries.countLevelsBelow.run({ id: moved.id }, db)).levels;
  if (above + below <= MAX_LEVELS) return;
  if (moved !== undefined && above <= (await levelsAbove(db, moved.parentId))) return;
  throw sizeLimitReached("Units are at most 100 levels deep", MAX_LEVELS);
}

/** Returns the level of a unit in the tree: 1 for a root, 0 for null. */
async function levelsAbove(db: Queryable, id: string | null): Promise<number> {
  return id === null ? 0 : exactlyOne(await queries.countLevelsAbove.run({ id }, db)).levels;
}
