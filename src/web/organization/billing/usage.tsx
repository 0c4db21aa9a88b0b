import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useLimitNames } from "../../lib/limit-names.ts";
import { useOverview } from "../../lib/overview.ts";
import { billingTexts } from "../../texts/billing.ts";
import { uiTexts } from "../../texts/ui.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { type Days, Period } from "../../ui/period.tsx";
import { TrendChart, type TrendPoint } from "../../ui/trend-chart.tsx";
import { BillingTabs } from "./tabs.tsx";

type Overview = Schemas["OrganizationOverview"];
type Limit = NonNullable<Overview["plan"]>["limits"][number];

export function UsagePage() {
  const texts = useTexts(billingTexts);
  return (
    <Page title={texts.billing} part={texts.usage} about={texts.usageAbout}>
      <BillingTabs />
      <Usage />
    </Page>
  );
}

function Usage() {
  const texts = useTexts(billingTexts);
  const { loading } = useTexts(uiTexts);
  const [days, setDays] = useState<Days>(90);
  const query = useOverview(days);
  const { data } = query;
  if (data === undefined || query.error !== null) return <Pending of={query} height={420} label={loading} />;
  const limits = data.plan?.limits ?? [];
  if (limits.length === 0) return <EmptyState text={texts.off} />;
  return (
    <>
      <Period days={days} onChange={setDays} />
      <div className="cards cards-wide">
        {limits.map((limit) => (
          <Trend key={limit.limit} of={limit} />
        ))}
      </div>
    </>
  );
}

const LISTS: Partial<Record<Limit["limit"], string>> = {
  members: "/members",
  units: "/units",
  serviceAccounts: "/service-accounts",
  webhookEndpoints: "/webhooks",
};

function Trend({ of: { limit, used, max, series, reachedOn } }: { of: Limit }) {
  const texts = useTexts(billingTexts);
  const nameOf = useLimitNames();
  const { number, date, day } = useFormat();
  const name = nameOf(limit);
  const list = LISTS[limit];
  const text = max === null ? number(used) : texts.usedOf(number(used), number(max));
  return (
    <Section
      title={name}
      actions={
        <Text size="sm">
          {list === undefined ? (
            text
          ) : (
            <Anchor component={Link} to={list}>
              {text}
            </Anchor>
          )}
        </Text>
      }
    >
      <TrendChart
        label={texts.useOf(name)}
        hint={texts.useHint}
        names={[texts.counted, texts.expected]}
        max={max}
        points={withTrend(series).map((point) => ({ ...point, label: day(point.label) }))}
        format={number}
      />
      {max !== null && (
        <Hint>
          {used >= max
            ? texts.isReached
            : reachedOn === null
              ? texts.notReached
              : texts.reachedOn(date(reachedOn))}
        </Hint>
      )}
    </Section>
  );
}

const DAY_MS = 86_400_000;
/** The number of recent days from which the trend of the usage is computed, as in the API. */
const TREND_DAYS = 30;

/** Appends expected values to a series, a third of its length, with the average daily change of its last 30 days. */
function withTrend(series: Limit["series"]): TrendPoint[] {
  const recent = series.slice(-TREND_DAYS - 1);
  const [first, last] = [recent[0], recent.at(-1)];
  const counted = series.map(({ day, count }) => ({ label: day, value: count, isExpected: false }));
  if (first === undefined || last === undefined) return counted;
  const perDay = (last.count - first.count) / Math.max(recent.length - 1, 1);
  const expected = Array.from({ length: Math.ceil(series.length / 3) }, (_, index) => ({
    label: new Date(Date.parse(last.day) + (index + 1) * DAY_MS).toISOString().slice(0, 10),
    value: Math.max(0, Math.round(last.count + perDay * (index + 1))),
    isExpected: true,
  }));
  return [...counted, ...expected];
}
