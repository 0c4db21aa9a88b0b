import type { z } from "zod";
import { findLimit, type OrganizationCall, organizationIsSuspended, type Tx } from "#kit";
import * as queries from "#sql/units";
import { findLiveOrganization } from "../../core/access/active-organization.ts";
import { addUnits, authorizeBelow, newUnitIds } from "./add.ts";
import type { BulkUnits, BulkUnitsBody } from "./bulk-schemas.ts";

type Body = z.output<typeof BulkUnitsBody>;

/** A unit on one of the paths; its id is null until it is created. */
type Node = { name: string; parent: Node | null; id: string | null; path: string[]; isNew: boolean };

/**
 * Creates the units of many paths in one transaction, with their missing parents (rules 11.6). A unit that exists is used
 * if its name equals that of the path, in NFKC and without case. A dry run writes nothing, and shows how much of the
 * plan's limit is needed even if too little is free.
 * @throws organizationIsSuspended, also for platform administrators; validationFailed for an unknown parent; unitForbidden outside the caller's reach; sizeLimitReached;
 * planLimitReached
 */
export async function createUnits(
  tx: Tx<OrganizationCall>,
  { parentId = null, paths, dryRun = false }: Body,
): Promise<z.output<typeof BulkUnits>> {
  const { organizationId, db } = tx;
  await authorizeBelow(tx, parentId);
  const { status } = await findLiveOrganization(db, organizationId);
  if (status === "SUSPENDED") throw organizationIsSuspended();
  const existing = await queries.listUnitsByAge.run({ organizationId }, db);
  const nodes = nodesOf(paths, parentId, existing);
  const created = nodes.filter(({ isNew }) => isNew);
  const max = await findLimit(tx, { organizationId, limit: "units", caller: tx.actor });

  if (created.length > 0) {
    const above = levelsOf(parentId, existing);
    const ids = dryRun ? [] : await newUnitIds(db, created.length);
    for (const [index, node] of created.entries()) node.id = ids[index] ?? null;
    const added = created.map(({ id, name, parent, path }) => ({
      ...{ id, name, depth: above + path.length - 1 },
      parentId: parent === null ? parentId : parent.id,
    }));
    await addUnits(tx, added, { used: existing.length, max, dryRun });
  }
  return {
    units: nodes.map(({ path, id, isNew }) => ({ path, id, outcome: isNew ? "created" : "exists" })),
    created: created.length,
    limit: { needed: created.length, free: max === null ? null : Math.max(0, max - existing.length) },
  };
}

type Existing = { id: string; parentId: string | null; name: string };

/** Names are equal if they differ in case or in compatible characters only. */
const folded = (name: string) => name.normalize("NFKC").toLowerCase();

/** Returns every unit on the paths once, each after its parent. Of existing siblings with equal names the oldest counts. */
function nodesOf(paths: string[][], parentId: string | null, existing: Existing[]): Node[] {
  const childrenOf = Map.groupBy(existing, (unit) => unit.parentId);
  const below = (id: string | null) => {
    const oldestFirst = childrenOf.get(id) ?? [];
    return new Map(oldestFirst.toReversed().map((unit) => [folded(unit.name), unit.id]));
  };
  const existingBelow = new Map<Node | null, Map<string, string>>([[null, below(parentId)]]);
  const nodesBelow = new Map<Node | null, Map<string, Node>>();
  const nodes: Node[] = [];
  const nodeOf = (parent: Node | null, name: string): Node => {
    const siblings = nodesBelow.get(parent) ?? new Map<string, Node>();
    nodesBelow.set(parent, siblings);
    const known = siblings.get(folded(name));
    if (known !== undefined) return known;
    const id = existingBelow.get(parent)?.get(folded(name)) ?? null;
    const node = { name, parent, id, isNew: id === null, path: [...(parent?.path ?? []), name] };
    if (id !== null) existingBelow.set(node, below(id));
    siblings.set(folded(name), node);
    nodes.push(node);
    return node;
  };
  for (const path of paths) path.reduce<Node | null>(nodeOf, null);
  return nodes;
}

/** Returns the level of a unit in the tree: 1 at the top, 0 for null. */
function levelsOf(unitId: string | null, existing: Existing[]): number {
  const parents = new Map(existing.map(({ id, parentId }) => [id, parentId]));
  let levels = 0;
  for (let id = unitId; id !== null; id = parents.get(id) ?? null) levels += 1;
  return levels;
}
