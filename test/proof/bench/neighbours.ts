import { bearer, fetchOnce, request, runLoad } from "./load.ts";
import { inTurns, median, printRow, runningMilliseconds } from "./stats.ts";
import { type Bench, type OwnDatabase, startBench } from "./targets.ts";
import { seedNeighbours, seedTenant, type Tenant } from "./tenants.ts";
import { HELD_BY_ADMINISTRATOR } from "./world.ts";

const NEIGHBOURS = (process.env.BENCH_NEIGHBOURS ?? "0,1000,100000,1000000").split(",").map(Number);
const OWN_ROWS = 1_000;
const REQUESTS_AT_ONCE = 20;
const PAGE = 20;

/** The measured lists, each with a search that matches one or a few rows and one that matches about a third. */
const LISTS = [
  { name: "audit events", path: "/api/organization/audit-events", few: "request-0000777", many: "switched" },
  { name: "members", path: "/api/members", few: "tenant.0000777", many: "lovelace" },
  { name: "todos", path: "/api/todos/all", few: "0000777", many: "bank" },
  { name: "tickets", path: "/api/organization/helpdesk/tickets", few: "0000777", many: "bank" },
  { name: "invitations", path: "/api/members/invitations", few: "0000777", many: "lovelace" },
  { name: "notifications", path: "/api/notifications", few: "sign_in_method", many: "welcome" },
];
type List = (typeof LISTS)[number];

/**
 * Returns the measured requests by name. Each is a function that returns the query string for a list with a given
 * number of rows.
 */
const QUESTIONS: Record<string, (list: List, size: number) => string> = {
  "first page": () => "page=1",
  "middle page": (_list, size) => `page=${Math.ceil(size / PAGE / 2)}`,
  "last page": (_list, size) => `page=${Math.ceil(size / PAGE)}`,
  "search, few match": ({ few }) => `search=${few}`,
  "search, a third matches": ({ many }) => `search=${many}`,
  "total, page of 1": () => "page=1&pageSize=1",
};

/** Lists with few rows, with fewer questions. */
const SHORT_LISTS: List[] = [
  { name: "own todos", path: "/api/todos", few: "0000777", many: "a" },
  { name: "own tickets", path: "/api/support/tickets", few: "0000777", many: "a" },
  { name: "units", path: "/api/units", few: "unit%2077", many: "unit" },
  { name: "roles", path: "/api/roles", few: "unit_admin", many: "a" },
  { name: "service accounts", path: "/api/service-accounts", few: "deploy", many: "a" },
];
const SHORT = ["first page", "search, few match", "search, a third matches"];
const SEARCHES: typeof QUESTIONS = {
  "search, none matches": () => "search=zebra",
  "search, two letters": () => "search=zq",
};

/**
 * Measures how response times of a tenant with 1,000 rows of each kind grow with the rows of other tenants: none to
 * 10^6 rows in a hundred other organizations. Each size has its own database and service. Requests are sent one at
 * a time, to all sizes in turns.
 */
export async function reportNeighbours(wanted: string): Promise<void> {
  const bench = await startBench({ isDurable: false });
  try {
    const places: Instance[] = [];
    for (const rows of NEIGHBOURS) {
      const db = await bench.database(`beside_${rows}`);
      const tenant = await seedTenant(db, OWN_ROWS);
      await seedNeighbours(db, rows, tenant);
      places.push(await startInstance(bench, db, tenant, OWN_ROWS));
    }
    const [alone = 0, ...more] = NEIGHBOURS;
    console.log(
      `PostgreSQL's CPU of a request in lists of ${OWN_ROWS} rows: ms beside ${alone} rows, and how many times that beside more\n`,
    );
    printRow(["list", "request", `${alone}, ms`, ...more], { isHead: true });
    for (const list of LISTS.filter(({ name }) => name.includes(wanted))) {
      await assertTotals(list, places);
      await report(bench, list, places, { ...QUESTIONS, ...SEARCHES });
    }
    const few = Object.fromEntries(
      Object.entries(QUESTIONS).filter(([question]) => SHORT.includes(question)),
    );
    for (const list of SHORT_LISTS.filter(({ name }) => name.includes(wanted)))
      await report(bench, list, places, { ...few, ...SEARCHES });
  } finally {
    await bench.stop();
  }
}

async function report(
  bench: Bench,
  list: List,
  places: Instance[],
  questions: typeof QUESTIONS,
): Promise<void> {
  for (const [question, ask] of Object.entries(questions)) {
    const [base = Number.NaN, ...others] = await costs(bench, places, `${list.path}?${ask(list, OWN_ROWS)}`);
    printRow([list.name, question, base.toFixed(2), ...others.map((one) => (one / base).toFixed(2))]);
  }
}

/**
 * Returns the CPU time in milliseconds that PostgreSQL uses for a request, measured in turns. Other work on the
 * machine changes response times, but not CPU time.
 */
async function costs(bench: Bench, places: Instance[], path: string): Promise<number[]> {
  const cost = async ({ url, token }: Instance) => {
    const text = request("GET", path, bearer(token));
    const start = runningMilliseconds(bench.postgresPid);
    for (let sent = 0; sent < REQUESTS_AT_ONCE; sent += 1) await runLoad(url, [{ next: () => text }], 0);
    return (runningMilliseconds(bench.postgresPid) - start) / REQUESTS_AT_ONCE;
  };
  const all = Object.fromEntries(places.map((place, index) => [index, () => cost(place)]));
  await inTurns(all, 1);
  return Object.values(await inTurns(all)).map(median);
}

/** Starts a service whose database has a tenant with this number of rows of each kind. */
type Instance = { size: number; url: string; token: string };

async function startInstance(
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
async function assertTotals({ name, path }: List, places: Instance[]): Promise<void> {
  for (const { size, url, token } of places) {
    const { total } = JSON.parse((await fetchOnce(url, request("GET", path, bearer(token)))).body);
    if (total !== size) throw new Error(`${total} ${name} are counted where there are ${size}`);
  }
}
