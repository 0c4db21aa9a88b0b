import { type KeyboardEvent, useState } from "react";

export type TrendPoint = {
  readonly label: string;
  readonly value: number;
  /** Whether the value is expected, not counted. */
  readonly isExpected: boolean;
};

type Props = {
  /** A description of the chart for screen readers. */
  readonly label: string;
  /** An instruction how to read single values. */
  readonly hint: string;
  readonly points: readonly TrendPoint[];
  /** The line that the values must not cross; null for none. */
  readonly max: number | null;
  /** The headings of the table: the counted and the expected values. */
  readonly names: readonly [string, string];
  readonly format: (value: number) => string;
};

const [WIDTH, HEIGHT] = [600, 140];

/** A line over time, dashed where it is expected, below the line of a limit. Arrow keys read single values. */
export function TrendChart({ label, hint, points, max, names, format }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const top = 1.1 * Math.max(1, max ?? 0, ...points.map(({ value }) => value));
  const x = (index: number) => (index / Math.max(points.length - 1, 1)) * WIDTH;
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const first = points.findIndex(({ isExpected }) => isExpected);
  const split = first === -1 ? points.length : first;
  const path = (from: number, to: number) =>
    points
      .slice(from, to)
      .map(({ value }, index) => `${index === 0 ? "M" : "L"}${x(from + index)} ${y(value)}`)
      .join("");
  const shown = at === null ? undefined : points[at];
  const nameOf = ({ isExpected }: TrendPoint) => names[isExpected ? 1 : 0];
  function onKeyDown(event: KeyboardEvent) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) setAt(Math.min(Math.max((at ?? split - 1 - by) + by, 0), points.length - 1));
    else if (event.key === "Escape") setAt(null);
    else return;
    event.preventDefault();
  }
  return (
    <figure className="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: a group of values, which arrow keys walk through */}
      <div
        role="group"
        aria-label={`${label}. ${hint}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys show the values of the line
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          width="100%"
          height={HEIGHT}
          aria-hidden="true"
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const index = Math.round(((clientX - left) / width) * (points.length - 1));
            setAt(Math.min(Math.max(index, 0), points.length - 1));
          }}
          onPointerLeave={() => setAt(null)}
        >
          <path className="chart-grid" d={`M0 ${HEIGHT - 1}H${WIDTH}`} />
          <path className="sparkline-area" d={`${path(0, split)}L${x(split - 1)} ${HEIGHT}L0 ${HEIGHT}Z`} />
          <path className="sparkline-line" d={path(0, split)} />
          <path className="sparkline-line trend-expected" d={path(Math.max(split - 1, 0), points.length)} />
          {max !== null && <path className="trend-limit" d={`M0 ${y(max)}H${WIDTH}`} />}
          {at !== null && <path className="chart-grid" d={`M${x(at)} 0V${HEIGHT}`} />}
        </svg>
      </div>
      <div className="chart-foot">
        <span>{points[0]?.label}</span>
        <output className="chart-value">
          {shown !== undefined && `${shown.label}: ${format(shown.value)} ${nameOf(shown)}`}
        </output>
        <span>{points.at(-1)?.label}</span>
      </div>
      <table className="visually-hidden">
        <caption>{label}</caption>
        <tbody>
          {points.map((point) => (
            <tr key={point.label}>
              <th scope="row">{point.label}</th>
              <td>{`${format(point.value)} ${nameOf(point)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
