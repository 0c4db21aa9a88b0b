import { type KeyboardEvent, useEffect, useId, useMemo, useRef } from "react";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { unitTexts } from "../../texts/units.ts";
import { NODE, type Node, placed } from "./chart-layout.ts";
import type { Row } from "./rows.ts";
import { treeKeyAction } from "./tree-keys.ts";

type Props = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly selected: string | null;
  readonly onSelect: (unitId: string) => void;
  readonly onToggle: (unitId: string) => void;
};

/** The distance in pixels of lines and boxes from the border. It leaves space for the outline of the selected box. */
const MARGIN = 4;

/**
 * The units as an organization chart, each with its number of people. For the keyboard and for screen readers it is a
 * tree.
 */
export function UnitChart({ label, rows, selected, onSelect, onToggle }: Props) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const { nodes, width, height } = useMemo(() => placed(rows), [rows]);
  const most = Math.max(1, ...rows.map(({ unit }) => unit.memberCount));
  const index = rows.findIndex(({ unit }) => unit.id === selected);
  useEffect(() => {
    if (index >= 0)
      scroller.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [index]);
  function onKeyDown(event: KeyboardEvent) {
    const action = treeKeyAction(rows, index, event.key);
    if (action === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if ("toggle" in action) return onToggle(action.toggle);
    const next = rows[action.select];
    if (next !== undefined) onSelect(next.unit.id);
  }
  return (
    <div
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={index >= 0 ? `${id}${selected}` : undefined}
      className="unit-chart panel"
      onKeyDown={onKeyDown}
    >
      <div
        role="presentation"
        className="unit-chart-area"
        style={{ width: width + 2 * MARGIN, height: height + 2 * MARGIN }}
      >
        <svg
          width={width + 2 * MARGIN}
          height={height + 2 * MARGIN}
          viewBox={`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
          aria-hidden="true"
        >
          {nodes.map((node) => (
            <path key={node.unit.id} className="unit-chart-line" d={lineTo(node, nodes[node.parent ?? -1])} />
          ))}
        </svg>
        {nodes.map((node) => (
          <Box
            key={node.unit.id}
            id={`${id}${node.unit.id}`}
            node={node}
            part={node.unit.memberCount / most}
            isSelected={node.unit.id === selected}
            onSelect={onSelect}
            onToggle={onToggle}
          />
        ))}
      </div>
    </div>
  );
}

/** The line from the unit above to a unit; nothing at the top. */
function lineTo({ x, y }: Node, above: Node | undefined): string {
  if (above === undefined) return "";
  const [startX, startY, endY] = [above.x + NODE.width, above.y + NODE.height / 2, y + NODE.height / 2];
  const middle = (startX + x) / 2;
  return `M${startX} ${startY}C${middle} ${startY} ${middle} ${endY} ${x} ${endY}`;
}

type BoxProps = {
  readonly id: string;
  readonly node: Node;
  /** The number of people compared with the largest unit. */
  readonly part: number;
  readonly isSelected: boolean;
  readonly onSelect: (unitId: string) => void;
  readonly onToggle: (unitId: string) => void;
};

function Box({ id, node, part, isSelected, onSelect, onToggle }: BoxProps) {
  const texts = useTexts(unitTexts);
  const { number } = useFormat();
  const { unit, level, hasChildren, isOpen, position, siblings, x, y } = node;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and names the current box
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? isOpen : undefined}
      className="unit-box"
      style={{ left: x + MARGIN, top: y + MARGIN, width: NODE.width, height: NODE.height }}
      onClick={() => onSelect(unit.id)}
      onDoubleClick={() => hasChildren && onToggle(unit.id)}
    >
      <span className="unit-box-head">
        <span className="unit-name">{unit.name}</span>
        <span className="dimmed" aria-hidden="true">
          {number(unit.memberCount)}
        </span>
        <span className="visually-hidden">{texts.members(number(unit.memberCount))}</span>
        {hasChildren && (
          <span
            className="unit-toggle"
            aria-hidden="true"
            onClick={(event) => {
              event.stopPropagation();
              onToggle(unit.id);
            }}
          >
            {isOpen ? "▾" : "▸"}
          </span>
        )}
      </span>
      <svg width="100%" height="4" aria-hidden="true">
        <rect className="meter-ground" width="100%" height="4" rx="2" />
        <rect className="meter-part" width={`${part * 100}%`} height="4" rx="2" />
      </svg>
    </div>
  );
}
