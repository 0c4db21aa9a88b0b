import type { Running } from "../../../src/app/server.ts";
import { untilReady } from "../../support/cluster.ts";
import { startNginx } from "./parts.ts";

/*
 * Describes the deployment that `bun run proof cluster` uses for the services of tests: three instances behind
 * nginx, with PgBouncer and a replica.
 */

/** The URLs of PgBouncer in front of the primary and of the replica. */
export type Deployment = { primary: string; replica: string };

const deployment = JSON.parse(process.env.TEST_DEPLOYMENT ?? "{}") as Deployment;

export function environmentOf(databaseUrl: string): Record<string, string> {
  const { pathname } = new URL(databaseUrl);
  const through = (pooler: string) => Object.assign(new URL(pooler), { pathname }).href;
  return {
    DATABASE_URL: through(deployment.primary),
    DATABASE_LISTEN_URL: databaseUrl,
    DATABASE_REPLICA_URL: through(deployment.replica),
  };
}

/** Starts two more instances, and nginx in front of all three. They are stopped with the first instance. */
export async function putBehindNginx(first: Running, start: () => Promise<Running>): Promise<Running> {
  const others = await Promise.all([start(), start()]);
  await Promise.all(others.map(({ url }) => untilReady(url)));
  const nginx = await startNginx([first, ...others].map(({ url }) => url));
  return {
    ...first,
    url: nginx.url,
    async stop() {
      await nginx.stop();
      await Promise.all([first, ...others].map((instance) => instance.stop()));
    },
  };
}
