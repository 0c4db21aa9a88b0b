import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useCan } from "../../client/react.ts";
import { useDuration } from "../lib/duration.ts";
import { useFormat } from "../lib/format.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { helpdeskOverviewTexts } from "../texts/helpdesk-overview.ts";
import { uiTexts } from "../texts/ui.ts";
import { Meter } from "../ui/chart.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { HeatMap } from "../ui/heat-map.tsx";
import { Page } from "../ui/page.tsx";
import { Figure, Part, sumOf } from "../ui/parts.tsx";
import { Pending } from "../ui/pending.tsx";
import { type Days, Period } from "../ui/period.tsx";
import { SeriesChart } from "../ui/series-chart.tsx";
import { UNRESOLVED } from "./search.ts";
import { InboxTabs } from "./tabs.tsx";

type Overview = Schemas["HelpdeskOverview"];

export function HelpdeskOverview() {
  const texts = useTexts(helpdeskOverviewTexts);
  const { helpdesk } = useTexts(helpdeskTexts);
  const mayRead = useCan("Helpdesk.Read");
  return (
    <Page title={helpdesk} part={texts.overview} about={texts.about}>
      <InboxTabs />
      {mayRead ? <Figures /> : <EmptyState text={texts.forbidden} />}
    </Page>
  );
}

function Figures() {
  const texts = useTexts(helpdeskOverviewTexts);
  const { loading } = useTexts(uiTexts);
  const [days, setDays] = useState<Days>(30);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const query = useApiQuery(
    "GET /api/organization/helpdesk/overview",
    { query: { days, timeZone } },
    { staleTime: 60_000, placeholderData: (before: Overview | undefined) => before },
  );
  const { data } = query;
  if (data === undefined || query.error !== null) return <Pending of={query} height={420} label={loading} />;
  return (
    <>
      <Period days={days} onChange={setDays} />
      <Numbers overview={data} />
      <div className="board">
        <div>
          <SeriesChart
            title={texts.byDay}
            titleOfWeeks={texts.byWeek}
            names={[texts.opened, texts.resolved]}
            series={[data.opened, data.resolved]}
            height={180}
          />
          <Hours hours={data.hours} timeZone={timeZone} />
        </div>
        <div>
          <ByCategory overview={data} />
          <ByStatus overview={data} />
        </div>
      </div>
    </>
  );
}

const LIST = "/helpdesk/tickets";

function Numbers({ overview: { open, opened, resolved, medianFirstReplySeconds } }: { overview: Overview }) {
  const texts = useTexts(helpdeskOverviewTexts);
  const { number } = useFormat();
  const duration = useDuration();
  return (
    <div className="panel figures">
      <Figure
        label={texts.unresolved}
        value={number(open)}
        link={{ to: LIST, search: { status: UNRESOLVED } }}
      />
      <Figure
        label={texts.firstReply}
        value={medianFirstReplySeconds === null ? "–" : duration(medianFirstReplySeconds)}
      />
      <Figure label={texts.opened} value={number(sumOf(opened))} series={opened} />
      <Figure label={texts.resolved} value={number(sumOf(resolved))} series={resolved} />
    </div>
  );
}

/** A date that is a Monday. The names of the weekdays are formatted from it and the next days. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);

function Hours({ hours, timeZone }: { hours: Overview["hours"]; timeZone: string }) {
  const texts = useTexts(helpdeskOverviewTexts);
  const { number } = useFormat();
  const { language } = useLanguage();
  const weekday = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  return (
    <Part
      title={texts.hours}
      about={
        <Text span className="dimmed">
          {timeZone}
        </Text>
      }
    >
      <HeatMap
        label={texts.hours}
        hint={texts.hoursHint}
        rows={hours.map((_, index) => weekday.format(MONDAY + index * DAY_MS))}
        columns={HOURS}
        values={hours}
        format={(count) => texts.tickets(number(count))}
      />
    </Part>
  );
}

function ByCategory({ overview: { byCategory } }: { overview: Overview }) {
  const texts = useTexts(helpdeskOverviewTexts);
  const names = useTexts(helpdeskTexts);
  const rows = byCategory.map(({ category, count }) => ({
    label: names[`category${category}`],
    count,
    search: { status: UNRESOLVED, category },
  }));
  return <Counts title={texts.byCategory} rows={rows} />;
}

function ByStatus({ overview: { byStatus } }: { overview: Overview }) {
  const texts = useTexts(helpdeskOverviewTexts);
  const names = useTexts(helpdeskTexts);
  const rows = byStatus.map(({ status, count }) => ({ label: names[status], count, search: { status } }));
  return <Counts title={texts.byStatus} rows={rows} />;
}

type Row = { readonly label: string; readonly count: number; readonly search: Record<string, unknown> };

/** Counts with bars; each links to the tickets that it counts. */
function Counts({ title, rows }: { title: string; rows: readonly Row[] }) {
  const { number } = useFormat();
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <Part title={title}>
      <div className="meters">
        {rows.map(({ label, count, search }) => (
          <Meter
            key={label}
            label={
              <Link to={LIST} search={search as never}>
                {label}
              </Link>
            }
            part={count / most}
            text={number(count)}
          />
        ))}
      </div>
    </Part>
  );
}
