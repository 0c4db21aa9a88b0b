import { Link } from "@tanstack/react-router";
import { useApiQuery } from "../../../client/react.ts";
import { capitalized } from "../../lib/capitalized.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { dashboardTexts } from "../../texts/dashboard.ts";
import { Meter } from "../../ui/chart.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Figure, Part } from "../../ui/parts.tsx";
import { Pending } from "../../ui/pending.tsx";
import { SeriesChart } from "../../ui/series-chart.tsx";

export default function PlatformDashboard() {
  const texts = useTexts(dashboardTexts);
  const { number, date } = useFormat();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const query = useApiQuery("GET /api/platform/overview", { query: { timeZone } }, { staleTime: 60_000 });
  const { data } = query;
  if (data === undefined || query.error !== null)
    return <Pending of={query} height={420} label={texts.growth} />;
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
