import { Link } from "@tanstack/react-router";
import { lazy, useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useDuration } from "../../lib/duration.ts";
import { consoleFeatures } from "../../lib/features.ts";
import { useFormat } from "../../lib/format.ts";
import { useLanguage, useTexts } from "../../lib/i18n.tsx";
import { useLimitNames } from "../../lib/limit-names.ts";
import { useOverview } from "../../lib/overview.ts";
import { dashboardTexts } from "../../texts/dashboard.ts";
import { uiTexts } from "../../texts/ui.ts";
import { Meter } from "../../ui/chart.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Figure, Part, sumOf } from "../../ui/parts.tsx";
import { Pending } from "../../ui/pending.tsx";
import { type Days, Period } from "../../ui/period.tsx";
import { SeriesChart } from "../../ui/series-chart.tsx";
import { Attention } from "./attention.tsx";
import { WhenNear } from "./when-near.tsx";

// The list of newest events is loaded on demand: it is below the fold, and its texts are as large as the rest of
// the home page.
const Activity = lazy(() => import("./activity.tsx"));

/** Heights in pixels of the list of newest events. */
const [ACTIVITY_HEAD, ACTIVITY_ROW] = [44, 41];

type Overview = Schemas["OrganizationOverview"];

export function OrganizationDashboard() {
  const texts = useTexts(dashboardTexts);
  const { loading } = useTexts(uiTexts);
  const [days, setDays] = useState<Days>(30);
  const query = useOverview(days);
  const { data } = query;
  if (data === undefined || query.error !== null) return <Pending of={query} height={420} label={loading} />;
  const hasFigures = data.members !== null || data.tickets !== null || figuresOf(data).length > 0;
  return (
    <>
      <Attention overview={data} />
      {hasFigures && (
        <>
          <Part title={texts.figures} about={<Period days={days} onChange={setDays} />}>
            <Figures overview={data} />
          </Part>
          <div className="board">
            <div>
              {data.tickets !== null && (
                <SeriesChart
                  title={texts.helpdesk}
                  names={[texts.opened, texts.resolved]}
                  series={[data.tickets.opened, data.tickets.resolved]}
                  link={{ to: "/helpdesk/tickets", text: texts.openInbox }}
                />
              )}
              {data.activity !== null && data.activity.length > 0 && (
                <WhenNear height={ACTIVITY_HEAD + data.activity.length * ACTIVITY_ROW}>
                  <Activity events={data.activity} />
                </WhenNear>
              )}
            </div>
            <div>
              {data.plan !== null && <Plan plan={data.plan} />}
              {data.byUnit?.some(({ members }) => members > 0) && <Units units={data.byUnit} />}
            </div>
          </div>
        </>
      )}
    </>
  );
}

export function HomeActions() {
  const texts = useTexts(dashboardTexts);
  const mayInvite = useCan("Invitations.Create");
  return mayInvite ? <LinkButton to="/invitations/new">{texts.invite}</LinkButton> : null;
}

const figuresOf = (overview: Overview) =>
  consoleFeatures().flatMap(({ figure }) => {
    const series = figure?.of(overview) ?? null;
    return figure === undefined || series === null ? [] : [{ label: figure.label, series }];
  });

function Figures({ overview }: { overview: Overview }) {
  const texts = useTexts(dashboardTexts);
  const { number } = useFormat();
  const { language } = useLanguage();
  const duration = useDuration();
  const { members, tickets, signIns } = overview;
  return (
    <div className="panel figures">
      {members !== null && members.active !== null && (
        <Figure
          label={texts.active}
          value={number(members.active.at(-1)?.count ?? 0)}
          series={members.active}
        />
      )}
      {members !== null && members.active === null && (
        <Figure label={texts.members} value={number(members.total)} series={members.joined} />
      )}
      {tickets !== null && (
        <Figure
          label={texts.firstReply}
          value={
            tickets.medianFirstReplySeconds === null
              ? texts.noReply
              : duration(tickets.medianFirstReplySeconds)
          }
          series={tickets.opened}
        />
      )}
      {figuresOf(overview).map(({ label, series }) => (
        <Figure key={label.en} label={label[language]} value={number(sumOf(series))} series={series} />
      ))}
      {signIns !== null && (
        <Figure label={texts.failed} value={number(sumOf(signIns.failed))} series={signIns.failed} />
      )}
    </div>
  );
}

function Plan({ plan: { limits } }: { plan: NonNullable<Overview["plan"]> }) {
  const texts = useTexts(dashboardTexts);
  const limitName = useLimitNames();
  const { number, date } = useFormat();
  return (
    <Part title={texts.plan} link={{ to: "/billing", text: texts.toBilling }}>
      <div className="meters">
        {limits.map(({ limit, used, max, reachedOn }) => (
          <Meter
            key={limit}
            label={limitName(limit)}
            part={max === null ? null : used / Math.max(max, 1)}
            isHigh={max !== null && used >= 0.9 * max}
            text={max === null ? texts.unlimited(number(used)) : texts.of(number(used), number(max))}
          >
            {reachedOn !== null && max !== null && used < max && (
              <span className="figure-label">{texts.reachedOn(date(reachedOn))}</span>
            )}
          </Meter>
        ))}
      </div>
    </Part>
  );
}

const MAX_UNITS = 8;

function Units({ units }: { units: NonNullable<Overview["byUnit"]> }) {
  const texts = useTexts(dashboardTexts);
  const { number } = useFormat();
  const most = Math.max(1, ...units.map(({ members }) => members));
  return (
    <Part title={texts.byUnit} link={{ to: "/units", text: texts.toUnits }}>
      <div className="meters">
        {units.slice(0, MAX_UNITS).map(({ unit, members }) => (
          <Meter
            key={unit.id}
            label={
              <Link to="/members" search={{ unit: unit.id } as never}>
                {unit.name}
              </Link>
            }
            part={members / most}
            text={number(members)}
          />
        ))}
      </div>
    </Part>
  );
}
