import type { Schemas } from "../../../client/index.ts";

export type UnitLike = Pick<Schemas["Unit"], "id" | "name" | "parentId">;

export const byId = <Unit extends UnitLike>(units: readonly Unit[]) =>
  new Map(units.map((unit) => [unit.id, unit]));

/** Returns the path to a unit, topmost unit first. Parents that the user cannot see are missing. */
export function pathTo<Unit extends UnitLike>(units: ReadonlyMap<string, Unit>, id: string): Unit[] {
  const line: Unit[] = [];
  for (let unit = units.get(id); unit !== undefined; unit = units.get(unit.parentId ?? ""))
    line.unshift(unit);
  return line;
}

/** Returns the path of a unit as text, such as "North / Athens". */
export const pathOf = (units: ReadonlyMap<string, UnitLike>, id: string): string =>
  pathTo(units, id)
    .map(({ name }) => name)
    .join(" / ");
