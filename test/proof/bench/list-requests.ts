import type { Tenant } from "./growth-seed.ts";
import { HELD_BY_ADMINISTRATOR } from "./identity.ts";
import { bearer, fetchOnce, request, runLoad } from "./load.ts";
import { median } from "./stats.ts";
import type { Bench, OwnDatabase } from "./targets.ts";

/* The list requests that `growth` and `neighbours` measure, and the code that measures them. */

const PAGE = 20;
/** How often each request is sent; slow requests are sent less often. */
const TIMES = 41;
const MIN_TIMES = 5;
const WARM_UPS = 8;
const MAX_MS = 4_000;

/** The measured lists, each with a search that matches one or a few rows and one that matches about a third. */
export const LISTS = [
  { name: "audit events", path: "/api/organization/audit-events", few: "request-0000777", many: "switched" },
  { name: "members", path: "/api/members", few: "tenant.0000777", many: "lovelace" },
  { name: "todos", path: "/api/todos/all", few: "0000777", many: "bank" },
  { name: "tickets", path: "/api/organization/helpdesk/tickets", few: "0000777", many: "bank" },
  { name: "invitations", path: "/api/members/invitations", few: "0000777", many: "lovelace" },
  { name: "notifications", path: "/api/notifications", few: "sign_in_method", many: "welcome" },
];
export type List = (typeof LISTS)[number];

/**
 * Returns the measured requests by name. Each is a function that returns the query string for a list with a given
 * number of rows.
 */
export const QUESTIONS: Record<string, (list: List, size: number) => string> = {
  "first page": () => "page=1",
  "middle page": (_list, size) => `page=${Math.ceil(size / PAGE / 2)}`,
  "last page": (_list, size) => `page=${Math.ceil(size / PAGE)}`,
  "search, few match": ({ few }) => `search=${few}`,
  "search, a third matches": ({ many }) => `search=${many}`,
  "total, page of 1": () => "page=1&pageSize=1",
};

/** Starts a service whose database has a tenant with this number of rows of each kind. */
export type Instance = { size: number; url: string; token: string };

export async function startInstance(
  bench: Bench,
  db: OwnDatabase,
  { userId: sub, organization }: Tenant,
  size: number,
): Promise<Instance> {
  const { url } = await bench.start("service", db.url);
  const token = bench.sign({ ...HELD_BY_ADMINISTRATOR, sub, sid: crypto.randomUUID(), organization });
  console.error(`${db.url.split("/").at(-1)} is ready after ${(performance.now() / 1_000).toFixed(0)} s`);
  return { size, url, token };
}

/**
 * Checks the total of a list. @throws if it is not the number of seeded rows, because another list would be
 * measured
 */
export async function assertTotals({ name, path }: List, places: Instance[]): Promise<void> {
  for (const { size, url, token } of places) {
    const { total } = JSON.parse((await fetchOnce(url, request("GET", path, bearer(token)))).body);
    if (total !== size) throw new Error(`${total} ${name} are counted where there are ${size}`);
  }
}

/** Returns the p50 of each of these requests, sent in turns. */
export async function medians(requests: { url: string; text: string }[]): Promise<number[]> {
  const times: number[][] = requests.map(() => []);
  const round = async (isKept: boolean) => {
    for (const [index, { url, text }] of requests.entries()) {
      const { p50 } = await runLoad(url, [{ next: () => text }], 0);
      if (isKept) times[index]?.push(p50);
    }
  };
  const warming = performance.now();
  for (let time = 0; time < WARM_UPS && performance.now() < warming + MAX_MS; time += 1) await round(false);
  const started = performance.now();
  for (let time = 0; time < TIMES; time += 1)
    if (time < MIN_TIMES || performance.now() < started + MAX_MS) await round(true);
  return times.map(median);
}
