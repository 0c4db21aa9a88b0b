import type { Row } from "./rows.ts";

export const NODE = { width: 200, height: 48 } as const;
const GAP = { x: 40, y: 12 } as const;
const STEP = { x: NODE.width + GAP.x, y: NODE.height + GAP.y } as const;

export type Node = Row & { readonly x: number; readonly y: number; readonly parent: number | null };

/**
 * Places the visible rows of a tree from left to right: units without visible sub-units below each other, other units
 * in the middle of their sub-units.
 */
export function placed(rows: readonly Row[]): { nodes: Node[]; width: number; height: number } {
  const parents: (number | null)[] = [];
  const path: number[] = [];
  rows.forEach(({ level }, index) => {
    path.length = level - 1;
    parents.push(path[level - 2] ?? null);
    path.push(index);
  });
  const children = rows.map((): number[] => []);
  parents.forEach((parent, index) => {
    if (parent !== null) children[parent]?.push(index);
  });
  const ys = new Array<number>(rows.length).fill(0);
  let leaves = 0;
  for (let index = 0; index < rows.length; index += 1) {
    if (children[index]?.length === 0) ys[index] = leaves++ * STEP.y;
  }
  // Rows are in depth-first order, so sub-units come later and are placed before the units above them.
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const below = children[index] ?? [];
    if (below.length > 0) ys[index] = ((ys[below[0] ?? 0] ?? 0) + (ys[below.at(-1) ?? 0] ?? 0)) / 2;
  }
  const nodes = rows.map((row, index) => ({
    ...row,
    x: (row.level - 1) * STEP.x,
    y: ys[index] ?? 0,
    parent: parents[index] ?? null,
  }));
  return {
    nodes,
    width: Math.max(0, ...nodes.map(({ x }) => x)) + NODE.width,
    height: Math.max(leaves, 1) * STEP.y - GAP.y,
  };
}
