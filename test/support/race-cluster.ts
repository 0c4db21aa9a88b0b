import { type Service, startService } from "./service.ts";
import { allowSlowTests } from "./slow-tests.ts";

type Cluster = { t: Service; urls: [string, string]; url: (index: number) => string };

let started: Promise<Cluster> | undefined;

/**
 * Returns a service and two further processes of it, which run no jobs. The files of races that run in one test process share
 * them, because starting them takes seconds; they end with that process. `url` returns the URLs of the two in turn.
 */
export function raceCluster(): Promise<Cluster> {
  allowSlowTests();
  // Processes of a deployment would not end with the test process.
  if (process.env.TEST_DEPLOYMENT) return start(false);
  started ??= start(true);
  return started;
}

async function start(keep: boolean): Promise<Cluster> {
  // The tokens are valid for longer than the rounds take.
  const t = await startService(
    { JWT_ACCESS_TTL: "2h", API_KEY_RATE_LIMIT: "1000000", OAUTH: "on", OAUTH_APPS: "any" },
    { keep },
  );
  const [one, two] = await t.cluster(2, { INSTANCE_ROLE: "api" });
  const urls: [string, string] = [one?.url ?? t.url, two?.url ?? t.url];
  return { t, urls, url: (index) => urls[index % 2] ?? t.url };
}
