import { useFormat } from "../lib/format.ts";
import { BarChart } from "./chart.tsx";
import { grouped, Part, type Series } from "./parts.tsx";

/** More days than these are shown as weeks. */
const MOST_DAYS = 31;

type Props = {
  /** The title for days and for weeks. */
  readonly title: string;
  readonly titleOfWeeks?: string;
  readonly names: readonly [string, string];
  readonly series: readonly [Series, Series];
  readonly link?: { readonly to: string; readonly text: string };
  readonly height?: number;
};

export function SeriesChart({ title, titleOfWeeks = title, names, series, link, height }: Props) {
  const { number, day } = useFormat();
  const isByWeek = series[0].length > MOST_DAYS;
  const [first, second] = series.map((values) => grouped(values, isByWeek ? 7 : 1));
  const shownTitle = isByWeek ? titleOfWeeks : title;
  return (
    <Part
      title={shownTitle}
      link={link}
      about={
        <span aria-hidden="true">
          <span className="chart-key dimmed" data-series="soft">
            {names[0]}
          </span>
          <span className="chart-key dimmed" data-series="main">
            {names[1]}
          </span>
        </span>
      }
    >
      <BarChart
        label={shownTitle}
        names={names}
        points={(first ?? []).map((group, index) => ({
          label: day(group.day),
          values: [group.count, second?.[index]?.count ?? 0],
        }))}
        {...(height !== undefined && { height })}
        format={number}
      />
    </Part>
  );
}
