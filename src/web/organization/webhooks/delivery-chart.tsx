import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { deliveryTexts } from "../../texts/webhooks.ts";
import { BarChart } from "../../ui/chart.tsx";

const MOST = 100;
const BARS = 24;

export function DeliveryChart({ endpointId: id }: { endpointId: string }) {
  const texts = useTexts(deliveryTexts);
  const { number, dateTime } = useFormat();
  const query = { pageSize: MOST, state: ["SUCCEEDED" as const, "FAILED" as const] };
  const { data } = useApiQuery("GET /api/webhooks/endpoints/{id}/deliveries", { path: { id }, query });
  // A chart of a single delivery shows nothing useful.
  if (data === undefined || data.data.length < 2) return null;
  return (
    <div>
      <span aria-hidden="true">
        <span className="chart-key dimmed" data-series="main">
          {texts.succeeded}
        </span>
        <span className="chart-key dimmed" data-series="bad">
          {texts.failed}
        </span>
      </span>
      <BarChart
        label={texts.overTime(number(data.data.length))}
        names={[texts.succeeded, texts.failed]}
        tones={["main", "bad"]}
        points={barsOf(data.data, dateTime)}
        height={72}
        format={number}
      />
    </div>
  );
}

type Delivery = Schemas["WebhookDelivery"];

/** Counts deliveries in equal spans of time between the oldest and the newest. */
function barsOf(deliveries: readonly Delivery[], format: (time: Date) => string) {
  const times = deliveries.map(({ createdAt }) => Date.parse(createdAt));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const span = Math.max((last - first) / BARS, 1);
  const bars = Array.from({ length: BARS }, () => ({ succeeded: 0, failed: 0 }));
  deliveries.forEach(({ state }, index) => {
    const bar = bars[Math.min(Math.floor(((times[index] ?? first) - first) / span), BARS - 1)];
    if (bar !== undefined) bar[state === "FAILED" ? "failed" : "succeeded"] += 1;
  });
  return bars.map(({ succeeded, failed }, index) => ({
    label: `${index + 1}. ${format(new Date(first + index * span))}`,
    values: [succeeded, failed],
  }));
}
