import { exactlyOne, type Queryable, sizeLimitReached } from "#kit";
import * as queries from "#sql/units";

/*
 * The maximum size of a unit tree, for every caller: a tree is listed completely, and traversed in both directions.
 * It is checked under the organization's lock, so that concurrent changes cannot exceed it together.
 */

const MAX_UNITS = 10_000;
const MAX_LEVELS = 100;

/** Checks the number of units after an addition. @throws sizeLimitReached above the maximum */
export function assertUnitCount(count: number): void {
  if (count > MAX_UNITS) throw sizeLimitReached("An organization has at most 10,000 units", MAX_UNITS);
}

/** Checks the number of levels of the tree. @throws sizeLimitReached above the maximum */
export function assertLevels(levels: number): void {
  if (levels > MAX_LEVELS) throw sizeLimitReached("Units are at most 100 levels deep", MAX_LEVELS);
}

/** A unit that is moved with its subtree below another unit. */
type Move = { parentId: string | null; moved: { id: string; parentId: string | null } };

/**
 * Checks the depth of the tree for a unit that is moved. In a tree that is already too deep, units can still move up or
 * stay on their level.
 * @throws sizeLimitReached if the lowest unit would be too deep
 */
export async function assertDepth(db: Queryable, { parentId, moved }: Move): Promise<void> {
  const above = await levelsAbove(db, parentId);
  const below = exactlyOne(await queries.countLevelsBelow.run({ id: moved.id }, db)).levels;
  const mayStay = async () => above <= (await levelsAbove(db, moved.parentId));
  if (above + below > MAX_LEVELS && !(await mayStay())) assertLevels(above + below);
}

/** Returns the level of a unit in the tree: 1 for a root, 0 for null. */
export async function levelsAbove(db: Queryable, id: string | null): Promise<number> {
  return id === null ? 0 : exactlyOne(await queries.countLevelsAbove.run({ id }, db)).levels;
}
