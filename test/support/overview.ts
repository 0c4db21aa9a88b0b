import { expect } from "bun:test";
import { allEvents } from "./audit.ts";
import type { Caller } from "./caller.ts";
import { ORGANIZATION_TICKETS } from "./helpdesk.ts";
import { expectStatus } from "./service.ts";

export const OVERVIEW = "/api/organization/overview";
export const HELPDESK_OVERVIEW = "/api/organization/helpdesk/overview";

const NAMES_OF_UTC = [
  "UTC",
  "Etc/UTC",
  "GMT",
  "Etc/GMT",
  "Etc/UCT",
  "Etc/Zulu",
  "Etc/Universal",
  "Etc/Greenwich",
];

/** Returns a function that reads an organization's overview as it is now: a query is cached, so each has another one. */
export function freshOverview(caller: Caller) {
  const names = [...NAMES_OF_UTC];
  return async () =>
    expectStatus(await caller.get(`${OVERVIEW}?days=30&timeZone=${names.pop() ?? "none left"}`), 200).body;
}

type Headers = Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: a row of any list
type Row = Record<string, any>;

/** Returns the day of a time in a time zone, in the format of the overview. */
export const dayIn = (timeZone: string, time: string | Date): string =>
  new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short" }).format(new Date(time));

/** Returns the counts of a series by day, without days that have none. */
export const counted = (series: { day: string; count: number }[]): Record<string, number> =>
  Object.fromEntries(series.filter(({ count }) => count > 0).map(({ day, count }) => [day, count]));

/** Returns the number of times on each of these days. */
export function byDay(timeZone: string, days: string[], times: (string | Date)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const time of times) {
    const day = dayIn(timeZone, time);
    if (days.includes(day)) counts[day] = (counts[day] ?? 0) + 1;
  }
  return counts;
}

/** Reads all rows of a list; returns null if the caller may not read it. */
async function listOf(caller: Caller, path: string, headers: Headers): Promise<Row[] | null> {
  const response = await caller.get(`${path}${path.includes("?") ? "&" : "?"}pageSize=100`, { headers });
  if (response.status === 403) return null;
  const { data, total } = expectStatus(response, 200).body;
  expect(data).toHaveLength(total);
  return data;
}

/**
 * Computes an overview from what the lists show a caller. `failedSignIns` are the times of all failed sign-ins, by account.
 */
export async function overviewByLists(
  caller: Caller,
  {
    timeZone,
    days,
    headers = {},
    unit = [],
    failedSignIns,
  }: {
    timeZone: string;
    days: string[];
    headers?: Headers;
    unit?: string[];
    failedSignIns: Record<string, Date[]>;
  },
) {
  const filter = unit.map((id) => `&unit=${id}`).join("");
  const inUnits = unit.length === 0 ? headers : { ...headers, "x-filter-unit": unit.join() };
  const of = (times: (string | Date)[]) => byDay(timeZone, days, times);
  const members = await listOf(caller, `/api/members?${filter.slice(1)}`, headers);
  const withoutFactor = await listOf(caller, `/api/members?twoFactor=off${filter}`, headers);
  const seen = members?.filter(({ twoFactorEnabled }) => twoFactorEnabled !== null) ?? [];
  const todos = await listOf(caller, "/api/todos/all", inUnits);
  const tickets = await listOf(caller, `${ORGANIZATION_TICKETS}?${filter.slice(1)}`, headers);
  const units = await listOf(caller, "/api/units", inUnits);
  const invitations = await listOf(caller, "/api/members/invitations", headers);
  const details = await Promise.all(
    (tickets ?? []).map(
      async ({ id }) => (await caller.get(`${ORGANIZATION_TICKETS}/${id}`, { headers })).body,
    ),
  );
  const open = tickets?.filter(({ status }) => ["OPEN", "IN_PROGRESS"].includes(status));
  const isOpened = ({ createdAt }: { createdAt: string }) => days.includes(dayIn(timeZone, createdAt));
  const replies = details.filter(isOpened).flatMap(({ createdAt, messages }) => {
    const reply = messages.find(({ asStaff, internal }: Row) => asStaff && !internal);
    return reply === undefined ? [] : [(Date.parse(reply.createdAt) - Date.parse(createdAt)) / 1_000];
  });
  const canManage = members !== null && seen.length > 0;
  const audit = await caller.get(`/api/organization/audit-events?pageSize=8${filter}`, { headers });
  return {
    members: members && {
      total: members.length,
      joined: of(members.map(({ joinedAt }) => joinedAt)),
      lastActive: canManage ? seen.map(({ lastActiveOn }) => lastActiveOn) : null,
    },
    signIns: canManage ? of(seen.flatMap(({ userId }) => failedSignIns[userId] ?? [])) : null,
    membersWithoutSecondFactor: withoutFactor?.length ?? null,
    todos: todos && {
      open: todos.filter(({ completed }) => !completed).length,
      created: of(todos.map(({ createdAt }) => createdAt)),
      completed: of(todos.flatMap(({ completed, updatedAt }) => (completed ? [updatedAt] : []))),
    },
    tickets: tickets && {
      open: open?.length,
      opened: of(tickets.map(({ createdAt }) => createdAt)),
      resolved: of(
        details.flatMap(({ events }) =>
          events
            .filter(
              ({ from, to }: Row) =>
                ["OPEN", "IN_PROGRESS"].includes(from) && ["RESOLVED", "CLOSED"].includes(to),
            )
            .map(({ createdAt }: Row) => createdAt),
        ),
      ),
      medianFirstReplySeconds: median(replies),
    },
    waitingTickets:
      tickets &&
      details.filter(({ status, messages }) => {
        const last = messages.findLast(({ internal }: Row) => !internal);
        const isOld = Date.now() - Date.parse(last.createdAt) > 24 * 3_600_000;
        return ["OPEN", "IN_PROGRESS"].includes(status) && !last.asStaff && isOld;
      }).length,
    expiringInvitations:
      invitations?.filter(
        ({ expired, expiresAt }) => !expired && Date.parse(expiresAt) < Date.now() + 48 * 3_600_000,
      ).length ?? null,
    byUnit:
      units && Object.fromEntries(units.map(({ id, depth, memberCount }) => [id, [depth, memberCount]])),
    activity: audit.status === 200 ? audit.body.data : null,
  };
}

const median = (values: number[]): number | null => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
};

/** Returns the number of audit events in each bar of a histogram. */
export const eventsByBar = async (caller: Caller, query: string, bars: { from: string }[]) => {
  const events = await allEvents(caller, query);
  const counts = bars.map(() => 0);
  for (const { time } of events) {
    const bar = bars.findLastIndex(({ from }) => from <= time);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return counts;
};
