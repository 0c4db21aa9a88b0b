import { seedOtherTenants, seedTenant } from "./growth-seed.ts";
import { assertTotals, type Instance, LISTS, medians, QUESTIONS, startInstance } from "./list-requests.ts";
import { bearer, request } from "./load.ts";
import { printRow } from "./stats.ts";
import { startBench } from "./targets.ts";

const SIZES = (process.env.BENCH_SIZES ?? "1000,10000,100000,1000000").split(",").map(Number);

/**
 * Measures how response times grow with the number of rows. An organization has 10^3 to 10^6 rows of each kind,
 * next to 200 small organizations. Each size has its own database and service. Requests are sent one at a time, to
 * all sizes in turns.
 */
export async function reportGrowth(wanted: string): Promise<void> {
  const bench = await startBench({ isDurable: false });
  try {
    const neighbours = await bench.database("neighbours");
    await seedOtherTenants(neighbours);
    await bench.release("neighbours");
    const places: Instance[] = [];
    for (const size of SIZES) {
      const db = await bench.database(`tenant_${size}`, "neighbours");
      places.push(await startInstance(bench, db, await seedTenant(db, size), size));
    }

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
