import type { KeyboardEvent, ReactNode } from "react";

type Row = { readonly label: string; readonly values: readonly string[] };

type Props = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The texts below the left and the right end. */
  readonly ends: readonly [string | undefined, string | undefined];
  /** The value of the top line. */
  readonly top?: string | undefined;
  /** The text of the value that is selected by a key or the pointer. */
  readonly value: string | undefined;
  /** Handles a key; returns false if the key has no meaning in this chart. */
  readonly onKey: (key: string) => boolean;
  readonly onLeave: () => void;
  readonly rows: readonly Row[];
  /** The headings of the values; without them the table has no head. */
  readonly columns?: readonly string[];
  readonly side?: ReactNode;
  /** The chart itself, which is hidden from screen readers. */
  readonly children: ReactNode;
};

export function ChartFrame({
  label,
  hint,
  ends,
  top,
  value,
  onKey,
  onLeave,
  rows,
  columns,
  side,
  children,
}: Props) {
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") onLeave();
    else if (!onKey(event.key)) return;
    event.preventDefault();
  }
  return (
    <figure className="chart" data-side={side !== undefined || undefined}>
      {top !== undefined && (
        <div className="chart-top dimmed" aria-hidden="true">
          {top}
        </div>
      )}
      {side}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of values, which arrow keys walk through */}
      <div
        role="group"
        aria-label={hint === undefined ? label : `${label}. ${hint}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys show the values of the chart
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={onLeave}
      >
        {children}
      </div>
      <div className="chart-foot dimmed">
        <span>{ends[0]}</span>
        <output className="chart-value">{value}</output>
        <span>{ends[1]}</span>
      </div>
      {/* A table is as wide as its cells, so the element around it is hidden. */}
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          {columns !== undefined && (
            <thead>
              <tr>
                <td />
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.map((row) => (
              <tr key={row.label}>
                <th scope="row">{row.label}</th>
                {row.values.map((text, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the values of a row have a fixed order
                  <td key={index}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

const STEPS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Returns the number of points by which an arrow key moves the selection; undefined for another key. */
export const stepOf = (key: string) => STEPS[key];

export const within = (index: number, length: number) => Math.min(Math.max(index, 0), length - 1);
