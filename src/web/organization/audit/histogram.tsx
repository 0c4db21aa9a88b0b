import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { logTexts } from "../../texts/audit-log.ts";
import type { queryOf } from "../../ui/audit/search.ts";
import { BarChart } from "../../ui/chart.tsx";

type Props = {
  readonly query: Omit<ReturnType<typeof queryOf>, "organization">;
  readonly search: string | undefined;
  readonly onSelect: (period: { from: string; to: string }) => void;
};

const HEIGHT = 72;
/** The height in px of the chart with its foot. It is reserved until the figures arrive, so that the list does not move. */
const FRAME_HEIGHT = 96;

/** A chart of how many events match the filters over time. Dragging over bars limits the list to their days. */
export function Histogram({ query: filters, search, onSelect }: Props) {
  const texts = useTexts(logTexts);
  const { number, day, dateTime } = useFormat();
  const query = { ...filters, ...(search !== undefined && { search }) };
  const { data, isError } = useApiQuery(
    "GET /api/organization/audit-events/histogram",
    { query },
    { staleTime: 30_000, placeholderData: (before: Schemas["AuditHistogram"] | undefined) => before },
  );
  if (data === undefined) return isError ? null : <div style={{ height: FRAME_HEIGHT }} />;
  // Also shown with one bar or none, so that the list does not move when the figures arrive.
  const bars = data.data;
  const isShort = data.interval === "minute" || data.interval === "hour";
  function select(first: number, last: number) {
    const from = bars[first]?.from;
    const next = bars[last + 1]?.from;
    if (from === undefined) return;
    const to = next === undefined ? new Date() : new Date(new Date(next).getTime() - 1);
    onSelect({ from: from.slice(0, 10), to: to.toISOString().slice(0, 10) });
  }
  return (
    <div style={{ minHeight: FRAME_HEIGHT }}>
      <BarChart
        label={texts.overTime}
        names={[texts.events]}
        height={HEIGHT}
        points={bars.map(({ from, count }) => ({
          label: isShort ? dateTime(from) : day(from),
          values: [count],
        }))}
        format={number}
        onSelect={select}
        hint={texts.selectHint}
      />
    </div>
  );
}
