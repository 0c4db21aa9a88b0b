import { pings } from "./latency.ts";
import { request, runLoad } from "./load.ts";
import { median, printRow, ROUNDS } from "./stats.ts";
import { startBench } from "./targets.ts";
import { CONNECTIONS, PASSWORD, seedWorld } from "./world.ts";

const MEASURE_MS = 4_000;

/**
 * Measures the latency of an empty response during 32 concurrent sign-ins, relative to the idle service: only
 * password hashing could delay all users. At the same time the latency of an idle process is measured, which shows
 * how much is caused by the busy cores of the machine.
 */
export async function reportSignIn(): Promise<void> {
  const bench = await startBench();
  try {
    const db = await bench.database("service");
    const { people } = await seedWorld(bench, db);
    const service = await bench.start("service", db.url);
    const probe = await bench.start("baseline", db.url);
    const logins = people.slice(CONNECTIONS).map(({ email }) => {
      const login = request("POST", "/api/auth/login", {}, { email, password: PASSWORD });
      return { next: () => login };
    });
    const both = () => Promise.all([service, probe].map(({ url }) => pings(url, MEASURE_MS)));
    await both();

    const rounds: { own: number; bare: number; ofBare: number; perSecond: number; p50: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [idle = Number.NaN, idleProbe = Number.NaN] = await both();
      const [[busy = Number.NaN, busyProbe = Number.NaN], { requests, seconds, p50 }] = await Promise.all([
        both(),
        runLoad(service.url, logins, MEASURE_MS + 500),
      ]);
      const perSecond = requests / seconds;
      rounds.push({
        own: busy / idle,
        bare: busyProbe / idleProbe,
        ofBare: busy / busyProbe,
        perSecond,
        p50,
      });
    }
    const of = (key: keyof (typeof rounds)[number]) => median(rounds.map((one) => one[key]));
    console.log(
      `p99 of an empty response with ${CONNECTIONS} sign-ins in flight; medians of ${ROUNDS} rounds\n`,
    );
    const columns = [
      "an idle process at the same time",
      "service / idle process",
      "sign-ins a second",
      "their p50, ms",
    ];
    printRow(["service, busy / idle", ...columns], { isHead: true });
    printRow([
      ...[of("own").toFixed(1), of("bare").toFixed(1), of("ofBare").toFixed(1)],
      ...[of("perSecond").toFixed(0), of("p50").toFixed(0)],
    ]);
  } finally {
    await bench.stop();
  }
}
