import * as queries from "#sql/units";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { sizeLimitReached } from "../../platform/errors.ts";
import { countUnits } from "./read.ts";

/*
 * How large a tree may become, whoever makes it: a tree is listed whole, and walked up and down. Asked under the
 * organization's lock, so that no two changes pass together.
 */

const MAX_UNITS = 10_000;
const MAX_LEVELS = 100;

/** @throws sizeLimitReached where the organization has as many units as it may */
export async function assertUnitCount(db: Queryable, organizationId: string): Promise<void> {
  const count = await countUnits(db, organizationId);
  if (count >= MAX_UNITS) throw sizeLimitReached("An organization has at most 10,000 units", MAX_UNITS);
}

type UnitPosition = { parentId: string | null; moved?: { id: string; parentId: string | null } };

/**
 * Of a new unit below this parent, or of one that is moved there with all that is below it. A tree that is too deep
 * already may move upwards, or along its level.
 * @throws sizeLimitReached where the lowest would be too deep
 */
export async function assertDepth(db: Queryable, { parentId, moved }: UnitPosition): Promise<void> {
  const above = await levelsAbove(db, parentId);
  const below =
    moved === undefined ? 1 : exactlyOne(await queries.countLevelsBelow.run({ id: moved.id }, db)).levels;
  if (above + below <= MAX_LEVELS) return;
  if (moved !== undefined && above <= (await levelsAbove(db, moved.parentId))) return;
  throw sizeLimitReached("Units are at most 100 levels deep", MAX_LEVELS);
}

/** How many levels there are down to this unit, and with it. */
async function levelsAbove(db: Queryable, id: string | null): Promise<number> {
  return id === null ? 0 : exactlyOne(await queries.countLevelsAbove.run({ id }, db)).levels;
}
