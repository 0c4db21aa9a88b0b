import { useState } from "react";
import { ChartFrame, within } from "./chart-frame.tsx";

type Props = {
  readonly label: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: readonly (readonly number[])[];
  /** Returns the text of a value, such as "3 tickets". */
  readonly format: (value: number) => string;
  readonly hint: string;
};

const STEP = 10;
const LEVELS = 4;
const MOVES: Partial<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/**
 * Shows a table of numbers as colors. Arrow keys select a cell, whose value is shown as text. Screen readers also get
 * a table of all values.
 */
export function HeatMap({ label, rows, columns, values, format, hint }: Props) {
  const [at, setAt] = useState<readonly [number, number] | null>(null);
  const max = Math.max(1, ...values.flat());
  const levelOf = (value: number) => Math.ceil((value / max) * LEVELS);
  const text = ([row, column]: readonly [number, number]) =>
    `${rows[row]} ${columns[column]}: ${format(values[row]?.[column] ?? 0)}`;
  function onKey(key: string) {
    const by = MOVES[key];
    if (by === undefined) return false;
    const [row, column] = at === null ? [0, 0] : [at[0] + by[0], at[1] + by[1]];
    setAt([within(row, rows.length), within(column, columns.length)]);
    return true;
  }
  const side = (
    <div className="chart-rows dimmed" aria-hidden="true">
      {rows.map((name) => (
        <span key={name}>{name}</span>
      ))}
    </div>
  );
  return (
    <ChartFrame
      label={label}
      hint={hint}
      ends={[columns[0], columns.at(-1)]}
      value={at === null ? undefined : text(at)}
      onKey={onKey}
      onLeave={() => setAt(null)}
      columns={columns}
      rows={rows.map((name, row) => ({
        label: name,
        values: columns.map((_, column) => format(values[row]?.[column] ?? 0)),
      }))}
      side={side}
    >
      <svg
        viewBox={`0 0 ${columns.length * STEP} ${rows.length * STEP}`}
        preserveAspectRatio="none"
        width="100%"
        height={rows.length * 22}
        aria-hidden="true"
        onPointerMove={({ currentTarget, clientX, clientY }) => {
          const { left, top, width, height } = currentTarget.getBoundingClientRect();
          const row = Math.floor(((clientY - top) / height) * rows.length);
          const column = Math.floor(((clientX - left) / width) * columns.length);
          setAt([within(row, rows.length), within(column, columns.length)]);
        }}
        onPointerLeave={() => setAt(null)}
      >
        {values.map((line, row) =>
          line.map((value, column) => (
            <rect
              key={`${rows[row]} ${columns[column]}`}
              className="heat-cell"
              data-level={levelOf(value)}
              data-active={(at?.[0] === row && at[1] === column) || undefined}
              x={column * STEP + 0.5}
              y={row * STEP + 0.5}
              width={STEP - 1}
              height={STEP - 1}
            />
          )),
        )}
      </svg>
    </ChartFrame>
  );
}
