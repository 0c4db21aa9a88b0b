import type { Schemas } from "../../../client/index.ts";
import { folded } from "../../theme/fold.ts";
import { byId, pathTo } from "../shared/units.ts";

export type Unit = Schemas["Unit"];

export type Row = {
  readonly unit: Unit;
  /** The level in the tree, counted from 1 as in `aria-level`. */
  readonly level: number;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
  readonly position: number;
  readonly siblings: number;
};

/** Groups the units by parent. Units whose parent the user cannot see are at the top level (null). */
export function childrenOf(units: readonly Unit[]): ReadonlyMap<string | null, Unit[]> {
  const known = byId(units);
  const children = new Map<string | null, Unit[]>();
  for (const unit of units) {
    const parentId = unit.parentId !== null && known.has(unit.parentId) ? unit.parentId : null;
    const siblings = children.get(parentId);
    if (siblings === undefined) children.set(parentId, [unit]);
    else siblings.push(unit);
  }
  return children;
}

/**
 * Returns the visible rows of the unit tree: everything below expanded units; during a search, the matches and the
 * units above them.
 */
export function rowsOf(units: readonly Unit[], open: ReadonlySet<string>, search: string): Row[] {
  const children = childrenOf(units);
  const found = search === "" ? null : matching(units, search);
  const rows: Row[] = [];
  const add = (parentId: string | null, level: number) => {
    const siblings = (children.get(parentId) ?? []).filter(({ id }) => found === null || found.has(id));
    siblings.forEach((unit, index) => {
      const below = (children.get(unit.id) ?? []).filter(({ id }) => found === null || found.has(id));
      const isOpen = found !== null || open.has(unit.id);
      const hasChildren = below.length > 0;
      rows.push({ unit, level, hasChildren, isOpen, position: index + 1, siblings: siblings.length });
      if (isOpen && hasChildren) add(unit.id, level + 1);
    });
  };
  add(null, 1);
  return rows;
}

/** Returns the ids of the units whose name contains this text, and of all units above them. */
function matching(units: readonly Unit[], search: string): Set<string> {
  const known = byId(units);
  const part = folded(search);
  const found = units.filter(({ name }) => folded(name).includes(part));
  return new Set(found.flatMap(({ id }) => pathTo(known, id).map((unit) => unit.id)));
}
