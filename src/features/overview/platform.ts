import type { z } from "zod";
import { exactlyOne, type SignedInCall, seriesOf } from "#kit";
import * as queries from "#sql/overviews/platform";
import * as rowCounts from "#sql/row-counts";
import { decidePlan } from "../../core/plans/effective-plan.ts";
import { lastDays, type OverviewQuery } from "./period.ts";
import type { PlatformOverview } from "./schemas.ts";

const MAX_TRIALS = 20;

/** Returns the figures over all organizations, for platform administrators. */
export async function platformOverview(
  { app, db }: SignedInCall,
  query: z.output<typeof OverviewQuery>,
): Promise<z.output<typeof PlatformOverview>> {
  const { lists, pages } = db;
  const period = await lastDays(db, query);
  const { from, timeZone } = period;
  const [created, counts, organizations, users, tickets] = await Promise.all([
    queries.countCreatedByDay.run({ from, timeZone }, lists),
    queries.countPlatform.run(undefined, lists),
    ...(["organizations", "users", "tickets"] as const).map((list) =>
      rowCounts.countAll.run({ list }, pages),
    ),
  ]);
  const seriesFor = (wanted: string) =>
    seriesOf(
      period,
      created.filter(({ name }) => name === wanted),
    );
  const { suspendedOrganizations, openTickets } = exactlyOne(counts);
  const trials = await queries.listTrialsEnding.run({ max: MAX_TRIALS }, lists);
  const jobs = await app.jobs.counts();
  const jobsIn = (isWanted: (state: string) => boolean) =>
    jobs.filter(({ state }) => isWanted(state)).reduce((total, { count }) => total + count, 0);
  return {
    days: query.days,
    organizations: {
      total: totalOf(organizations),
      suspended: suspendedOrganizations,
      created: seriesFor("organizations"),
    },
    users: { total: totalOf(users), created: seriesFor("users") },
    tickets: { total: totalOf(tickets), open: openTickets, opened: seriesFor("tickets") },
    plans: await countPlans({ app, db }),
    trialsEnding: trials.map(({ id, name, endsAt }) => ({
      organization: { id, name },
      endsAt: endsAt.toISOString(),
    })),
    jobs: {
      waiting: jobsIn((state) => state !== "failed"),
      failed: jobsIn((state) => state === "failed"),
    },
  };
}

const totalOf = (rows: { total: number }[] | undefined) => rows?.[0]?.total ?? 0;

/** Counts the organizations on each plan, sorted as in the plan file. */
async function countPlans({ app, db }: Pick<SignedInCall, "app" | "db">) {
  const { plans, prices } = app.config.billing;
  if (plans === null) return [];
  const organizations = new Map<string, number>(plans.plans.map(({ key }) => [key, 0]));
  for (const { organizations: count, ...copy } of await queries.countByPlanSource.run(undefined, db.lists)) {
    const { key } = decidePlan(plans, prices, copy).plan;
    organizations.set(key, (organizations.get(key) ?? 0) + count);
  }
  return [...organizations].map(([key, count]) => ({ key, organizations: count }));
}
