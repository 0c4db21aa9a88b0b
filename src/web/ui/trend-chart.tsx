import { useState } from "react";
import { ChartFrame, stepOf, within } from "./chart-frame.tsx";

export type TrendPoint = {
  readonly label: string;
  readonly value: number;
  /** Whether the value is a forecast, not a count. */
  readonly isExpected: boolean;
};

type Props = {
  readonly label: string;
  readonly hint: string;
  readonly points: readonly TrendPoint[];
  /** The limit, shown as a horizontal line; null if there is none. */
  readonly max: number | null;
  /** The words that follow a counted value and a forecast. */
  readonly names: readonly [string, string];
  readonly format: (value: number) => string;
};

const [WIDTH, HEIGHT] = [600, 140];

/** A line chart over time, with a line for the limit. The forecast is dashed. Arrow keys select single values. */
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
  const textOf = ({ value, isExpected }: TrendPoint) => `${format(value)} ${names[isExpected ? 1 : 0]}`;
  function onKey(key: string) {
    const by = stepOf(key);
    if (by !== undefined) setAt(within((at ?? split - 1 - by) + by, points.length));
    return by !== undefined;
  }
  return (
    <ChartFrame
      label={label}
      hint={hint}
      ends={[points[0]?.label, points.at(-1)?.label]}
      value={shown && `${shown.label}: ${textOf(shown)}`}
      onKey={onKey}
      onLeave={() => setAt(null)}
      rows={points.map((point) => ({ label: point.label, values: [textOf(point)] }))}
    >
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
        aria-hidden="true"
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setAt(within(Math.round(((clientX - left) / width) * (points.length - 1)), points.length));
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
    </ChartFrame>
  );
}
