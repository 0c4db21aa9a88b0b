import { Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApiQuery } from "../../../client/react.ts";
import { capitalized } from "../../lib/capitalized.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { dashboardTexts } from "../../texts/dashboard.ts";
import { Meter } from "../../ui/chart.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Figure, Part } from "../../ui/parts.tsx";
import { SeriesChart } from "../../ui/series-chart.tsx";

export default function PlatformDashboard() {
  const texts = useTexts(dashboardTexts);
  const { number, date } = useFormat();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { data, error, refetch } = useApiQuery(
    "GET /api/platform/overview",
    { query: { timeZone } },
    { staleTime: 60_000 },
  );
  if (error !== null) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={420} role="status" aria-label={texts.growth} />;
  const { organizations, users, tickets, jobs, plans, trialsEnding } = data;
  const most = Math.max(1, ...plans.map((plan) => plan.organizations));
  return (
    <>
      <div className="panel figures">
        <Figure
          label={texts.organizations}
          value={number(organizations.total)}
          series={organizations.created}
        />
        <Figure label={texts.users} value={number(users.total)} series={users.created} />
        <Figure label={texts.openTickets} value={number(tickets.open)} series={tickets.opened} />
        <Figure label={texts.failedJobs} value={number(jobs.failed)} />
      </div>
      <div className="board">
        <div>
          <SeriesChart
            title={texts.growth}
            names={[texts.newUsers, texts.newOrganizations]}
            series={[users.created, organizations.created]}
            link={{ to: "/platform/organizations", text: texts.organizations }}
          />
        </div>
        <div>
          {plans.length > 0 && (
            <Part title={texts.byPlan}>
              <div className="meters">
                {plans.map(({ key, organizations: count }) => (
                  <Meter key={key} label={capitalized(key)} part={count / most} text={number(count)} />
                ))}
              </div>
            </Part>
          )}
          <Part title={texts.trials}>
            {trialsEnding.length === 0 && <Hint>{texts.noTrials}</Hint>}
            <ul className="plain-list board-rows">
              {trialsEnding.map(({ organization: { id, name }, endsAt }) => (
                <li key={id}>
                  <Link to="/platform/organizations/$id" params={{ id }} className="grow">
                    {name}
                  </Link>
                  <time dateTime={endsAt}>{date(endsAt)}</time>
                </li>
              ))}
            </ul>
          </Part>
        </div>
      </div>
    </>
  );
}
