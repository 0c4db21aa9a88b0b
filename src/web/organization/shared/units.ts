import type { Schemas } from "../../../client/index.ts";

export type UnitLike = Pick<Schemas["Unit"], "id" | "name" | "parentId">;

/** The units by their ids. */
export const byId = <Unit extends UnitLike>(units: readonly Unit[]) =>
  new Map(units.map((unit) => [unit.id, unit]));

/** A unit and those above it, the topmost first; parents that the caller cannot see are missing. */
export function pathTo<Unit extends UnitLike>(units: ReadonlyMap<string, Unit>, id: string): Unit[] {
  const line: Unit[] = [];
  for (let unit = units.get(id); unit !== undefined; unit = units.get(unit.parentId ?? ""))
    line.unshift(unit);
  return line;
}

/** "North / Athens": where a unit is. */
export const pathOf = (units: ReadonlyMap<string, UnitLike>, id: string): string =>
  pathTo(units, id)
    .map(({ name }) => name)
    .join(" / ");
