import type { Row } from "./rows.ts";

/** Returns the effect of a key in the unit tree, by the WAI-ARIA tree pattern; null if the key has no effect. */
export function treeKeyAction(
  rows: readonly Row[],
  index: number,
  key: string,
): { select: number } | { toggle: string } | null {
  const row = rows[index];
  const last = rows.length - 1;
  if (key === "Home") return { select: 0 };
  if (key === "End") return { select: last };
  if (key === "ArrowDown") return { select: Math.min(index + 1, last) };
  if (key === "ArrowUp") return { select: Math.max(index - 1, 0) };
  if (row === undefined) return null;
  if (key === "ArrowRight" && row.hasChildren)
    return row.isOpen ? { select: index + 1 } : { toggle: row.unit.id };
  if (key === "ArrowLeft") {
    if (row.hasChildren && row.isOpen) return { toggle: row.unit.id };
    const parent = rows.findLastIndex(({ level }, at) => at < index && level < row.level);
    return parent === -1 ? null : { select: parent };
  }
  return key === " " && row.hasChildren ? { toggle: row.unit.id } : null;
}
