import { type ReactNode, useState } from "react";
import { ChartFrame, stepOf, within } from "./chart-frame.tsx";

type Point = { readonly label: string; readonly values: readonly number[] };

type Tone = "main" | "soft" | "bad";

type Props = {
  readonly label: string;
  /** The names of the values at each point, such as the series of a legend. */
  readonly names: readonly string[];
  readonly points: readonly Point[];
  /** The colors of the values; if absent, the last value has the accent. */
  readonly tones?: readonly Tone[];
  readonly height?: number;
  readonly format?: (value: number) => string;
  /** Called with the first and the last point that were selected, by dragging or by Enter. */
  readonly onSelect?: (from: number, to: number) => void;
  readonly hint?: string;
};

const WIDTH = 600;
/** The maximum width of the bars of one point. */
const MAX_GROUP = 40;
/** The top line of a chart that is lower than this has no value. */
const LOW = 100;

/**
 * A bar chart over time. Arrow keys move from point to point, and screen readers read the point's values. A table
 * contains all values.
 */
export function BarChart({
  label,
  names,
  points,
  tones,
  height = 120,
  format = String,
  onSelect,
  hint,
}: Props) {
  const [at, setAt] = useState<number | null>(null);
  const [start, setStart] = useState<number | null>(null);
  const max = Math.max(1, ...points.flatMap(({ values }) => values));
  const step = WIDTH / Math.max(points.length, 1);
  const group = Math.min(step * 0.72, MAX_GROUP);
  const bar = group / Math.max(names.length, 1);
  const shown = at === null ? undefined : points[at];
  const [low, high] = [Math.min(start ?? -1, at ?? -1), Math.max(start ?? -1, at ?? -1)];
  const indexAt = ({ currentTarget, clientX }: { currentTarget: Element; clientX: number }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return within(Math.floor(((clientX - left) / width) * points.length), points.length);
  };
  function onKey(key: string) {
    const by = stepOf(key);
    if (by !== undefined) setAt(within((at ?? (by > 0 ? -1 : points.length)) + by, points.length));
    else if (key === "Enter" && at !== null) onSelect?.(at, at);
    else return false;
    return true;
  }
  return (
    <ChartFrame
      label={label}
      hint={hint}
      ends={[points[0]?.label, points.at(-1)?.label]}
      top={height < LOW ? undefined : format(max)}
      value={shown && valueText(shown, names, format)}
      onKey={onKey}
      onLeave={() => setAt(null)}
      columns={names}
      rows={points.map(({ label: name, values }) => ({
        label: name,
        values: values.map((value) => format(value)),
      }))}
    >
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        width="100%"
        height={height}
        aria-hidden="true"
        onPointerMove={(event) => setAt(indexAt(event))}
        onPointerLeave={() => {
          setAt(null);
          setStart(null);
        }}
        onPointerDown={(event) => onSelect && setStart(indexAt(event))}
        onPointerUp={(event) => {
          const end = indexAt(event);
          if (start !== null) onSelect?.(Math.min(start, end), Math.max(start, end));
          setStart(null);
        }}
        data-selectable={onSelect !== undefined || undefined}
      >
        <path className="chart-grid" d={`M0 1H${WIDTH}M0 ${height / 2}H${WIDTH}M0 ${height - 1}H${WIDTH}`} />
        {points.map(({ label: name, values }, index) => (
          <g
            key={name}
            data-active={index === at || undefined}
            data-selected={(start !== null && index >= low && index <= high) || undefined}
          >
            <rect className="chart-hover" x={index * step} y={0} width={step} height={height} />
            {values.map((value, series) => {
              const size = value === 0 ? 0 : Math.max((value / max) * (height - 4), 2);
              return (
                <rect
                  // biome-ignore lint/suspicious/noArrayIndexKey: the values of a point have a fixed order
                  key={series}
                  className="chart-bar"
                  data-series={tones?.[series] ?? (series === names.length - 1 ? "main" : "soft")}
                  x={index * step + (step - group) / 2 + series * bar}
                  y={height - 1 - size}
                  width={Math.max(bar - 1, 1)}
                  height={size}
                />
              );
            })}
          </g>
        ))}
      </svg>
    </ChartFrame>
  );
}

const valueText = ({ label, values }: Point, names: readonly string[], format: (value: number) => string) =>
  `${label}: ${values.map((value, index) => `${format(value)} ${names[index]}`).join(", ")}`;

/**
 * A small line chart without axes. It is hidden from screen readers, because the figure next to it has its meaning.
 */
export function Sparkline({ values }: { values: readonly number[] }) {
  const height = 36;
  const max = Math.max(1, ...values);
  const x = (index: number) => (index / Math.max(values.length - 1, 1)) * 200;
  const y = (value: number) => height - 2 - (value / max) * (height - 4);
  const line = values.map((value, index) => `${x(index)} ${y(value)}`).join("L");
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 200 ${height}`}
      preserveAspectRatio="none"
      width="100%"
      height={height}
      aria-hidden="true"
    >
      <path className="sparkline-area" d={`M0 ${height}L${line}L200 ${height}Z`} />
      <path className="sparkline-line" d={`M${line}`} />
    </svg>
  );
}

export function Meter({
  label,
  part,
  text,
  isHigh = false,
  children,
}: {
  label: ReactNode;
  /** The share, from 0 to 1; null if there is no limit, and so no bar. */
  part: number | null;
  text: string;
  isHigh?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="meter">
      <div className="meter-head">
        <span>{label}</span>
        <span className="meter-text">{text}</span>
      </div>
      {part !== null && (
        <svg width="100%" height="6" aria-hidden="true" className="meter-bar" data-high={isHigh || undefined}>
          <rect className="meter-ground" width="100%" height="6" rx="3" />
          <rect className="meter-part" width={`${Math.min(Math.max(part, 0), 1) * 100}%`} height="6" rx="3" />
        </svg>
      )}
      {children}
    </div>
  );
}
