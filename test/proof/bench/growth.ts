import { seedOtherTenants, seedTenant, type Tenant } from "./growth-seed.ts";
import { HELD_BY_ADMINISTRATOR } from "./identity.ts";
import { bearer, fetchOnce, request, runLoad } from "./load.ts";
import { median, printRow } from "./stats.ts";
import { type Bench, startBench } from "./targets.ts";

const SIZES = (process.env.BENCH_SIZES ?? "1000,10000,100000,1000000").split(",").map(Number);
const PAGE = 20;
/** Repetitions of each request at each size; fewer for slow ones. */
const TIMES = 41;
const MIN_TIMES = 5;
const WARM_UPS = 8;
const MAX_MS = 4_000;

/** A list, a search that matches one or a few rows, and one that matches about a third. */
const LISTS = [
  { name: "audit events", path: "/api/organization/audit-events", few: "request-0000777", many: "switched" },
  { name: "members", path: "/api/members", few: "tenant.0000777", many: "lovelace" },
  { name: "todos", path: "/api/todos/all", few: "0000777", many: "bank" },
  { name: "tickets", path: "/api/organization/helpdesk/tickets", few: "0000777", many: "bank" },
  { name: "notifications", path: "/api/notifications", few: "sign_in_method", many: "welcome" },
];
type List = (typeof LISTS)[number];

/** The requests for a list of that many rows. */
const QUESTIONS: Record<string, (list: List, size: number) => string> = {
  "first page": () => "page=1",
  "middle page": (_list, size) => `page=${Math.ceil(size / PAGE / 2)}`,
  "last page": (_list, size) => `page=${Math.ceil(size / PAGE)}`,
  "search, few match": ({ few }) => `search=${few}`,
  "search, a third matches": ({ many }) => `search=${many}`,
  "total, page of 1": () => "page=1&pageSize=1",
};

type Instance = { size: number; url: string; token: string };

/**
 * How response times grow with the number of rows: an organization with 10^3 to 10^6 rows of each kind beside 200 small
 * ones. Each size has its own database and service; one request at a time, over all sizes in turns.
 */
export async function reportGrowth(wanted: string): Promise<void> {
  const bench = await startBench({ isDurable: false });
  try {
    const neighbours = await bench.database("neighbours");
    await seedOtherTenants(neighbours);
    await bench.release("neighbours");
    const places: Instance[] = [];
    for (const size of SIZES) places.push(await startInstance(bench, size));

    const [smallest = 0, ...larger] = SIZES;
    console.log(`p50 of a page: in ms of ${smallest} rows, and how many times that of more\n`);
    printRow(["list", "request", `${smallest}, ms`, ...larger], { isHead: true });
    for (const list of LISTS.filter(({ name }) => name.includes(wanted))) {
      await assertTotals(list, places);
      for (const [question, ask] of Object.entries(QUESTIONS)) {
        const [base = Number.NaN, ...others] = await medians(
          places.map(({ size, url, token }) => ({
            url,
            text: request("GET", `${list.path}?${ask(list, size)}`, bearer(token)),
          })),
        );
        printRow([list.name, question, base.toFixed(2), ...others.map((one) => (one / base).toFixed(1))]);
      }
    }
  } finally {
    await bench.stop();
  }
}

async function startInstance(bench: Bench, size: number): Promise<Instance> {
  const started = performance.now();
  const name = `tenant_${size}`;
  const db = await bench.database(name, "neighbours");
  const tenant: Tenant = await seedTenant(db, size);
  const { url } = await bench.start("service", db.url);
  const { userId: sub, organization } = tenant;
  const token = bench.sign({ ...HELD_BY_ADMINISTRATOR, sub, sid: crypto.randomUUID(), organization });
  console.error(
    `${size} rows of each kind, ready after ${((performance.now() - started) / 1_000).toFixed(0)} s`,
  );
  return { size, url, token };
}

/** @throws if a list's total is not the number of seeded rows: another list would be measured */
async function assertTotals({ name, path }: List, places: Instance[]): Promise<void> {
  for (const { size, url, token } of places) {
    const { total } = JSON.parse((await fetchOnce(url, request("GET", path, bearer(token)))).body);
    if (total !== size) throw new Error(`${total} ${name} are counted where there are ${size}`);
  }
}

/** The p50 of each of these requests, sent in turns. */
async function medians(requests: { url: string; text: string }[]): Promise<number[]> {
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
