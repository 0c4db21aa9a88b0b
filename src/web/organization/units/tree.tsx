import { useVirtualizer } from "@tanstack/react-virtual";
import { type DragEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useFormat } from "../../lib/format.ts";
import type { Row } from "./rows.ts";
import { treeKeyAction } from "./tree-keys.ts";

const ROW_HEIGHT = 36;
const INDENT = 20;

type Props = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly selected: string | null;
  readonly onSelect: (unitId: string) => void;
  readonly onToggle: (unitId: string) => void;
  /** Called with keys that the unit tree itself does not handle. */
  readonly onKey: (key: string) => void;
  readonly mayMove: (unitId: string) => boolean;
  readonly onDrop: (unitId: string, parentId: string | null) => void;
  /** A hint that explains keys and drag and drop. A unit that is dropped on the hint is moved to the top level. */
  readonly hint: string;
};

const FORMAT = "application/x-unit";

/** A tree of units that renders only the visible rows. The tree itself keeps the focus while it scrolls. */
export function UnitTree({ label, rows, selected, onSelect, onToggle, onKey, mayMove, onDrop, hint }: Props) {
  const id = useId();
  const { number } = useFormat();
  const scroller = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState<string | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const index = rows.findIndex(({ unit }) => unit.id === selected);
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index);
  }, [index, virtual]);
  const lines = virtual.getVirtualItems();
  const isRendered = lines.some((line) => line.index === index);

  function onKeyDown(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const what = treeKeyAction(rows, index, event.key);
    if (what === null) return onKey(event.key);
    event.preventDefault();
    if ("toggle" in what) return onToggle(what.toggle);
    const next = rows[what.select];
    if (next !== undefined) onSelect(next.unit.id);
  }
  /** Returns the props that make an element a drop target for units. */
  const target = (name: string, parentId: string | null) => ({
    "data-over": over === name || undefined,
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes(FORMAT)) return;
      event.preventDefault();
      setOver(name);
    },
    onDragLeave: () => setOver(null),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(null);
      const moved = event.dataTransfer.getData(FORMAT);
      if (moved !== "" && moved !== parentId) onDrop(moved, parentId);
    },
  });
  return (
    <div className="panel">
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={isRendered ? `${id}${selected}` : undefined}
        className="unit-tree-lines"
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {lines.map((line) => {
            const row = rows[line.index];
            if (row === undefined) return null;
            const { unit, level, hasChildren, isOpen, position, siblings } = row;
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and names the current row
              // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
              <div
                key={unit.id}
                id={`${id}${unit.id}`}
                role="treeitem"
                aria-level={level}
                aria-posinset={position}
                aria-setsize={siblings}
                aria-selected={unit.id === selected}
                aria-expanded={hasChildren ? isOpen : undefined}
                className="unit-line"
                style={{ height: line.size, top: line.start, paddingInlineStart: (level - 1) * INDENT + 4 }}
                draggable={mayMove(unit.id)}
                onDragStart={(event) => event.dataTransfer.setData(FORMAT, unit.id)}
                onClick={() => onSelect(unit.id)}
                onDoubleClick={() => hasChildren && onToggle(unit.id)}
                {...target(unit.id, unit.id)}
              >
                <span
                  className="unit-toggle"
                  aria-hidden="true"
                  onClick={(event) => {
                    event.stopPropagation();
                    if (hasChildren) onToggle(unit.id);
                  }}
                >
                  {hasChildren && (isOpen ? "▾" : "▸")}
                </span>
                <span className="unit-name">{unit.name}</span>
                {unit.memberCount > 0 && (
                  <span className="unit-count dimmed">{number(unit.memberCount)}</span>
                )}
              </div>
            );
          })}
        </div>
      </div>
      <div className="unit-hint dimmed" {...target("top", null)}>
        {hint}
      </div>
    </div>
  );
}
