import { SQL } from "bun";
import { migrateAll } from "../../../src/app/migrate.ts";
import { startInbox } from "../../../src/dev/inbox.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { environmentFor } from "../../support/environment.ts";
import { startMock } from "../../support/payments.ts";
import { PAYMENT } from "../../support/plans.ts";
import { startReplica } from "../../support/replica.ts";
import { Clocks } from "./clocks.ts";
import { Fleet } from "./fleet.ts";
import { Network } from "./network.ts";
import { startObjectStore } from "./object-store.ts";

/** Three instances with all that they depend on, each dependency behind a network of its own. */
export async function openSurroundings({ plans, folder }: { plans: string; folder: string }) {
  const settings = { fsync: "off", synchronous_commit: "on", max_connections: "200", wal_keep_size: "1GB" };
  const postgres = await startPostgres({ dataDir: null, settings });
  const databaseUrl = await createDatabase(postgres.url, "soak");
  await migrateAll(databaseUrl);
  const replica = await startReplica(postgres, settings);
  const inbox = await startInbox({ webPort: null });
  const store = startObjectStore();
  const payments = startMock();
  const to = (port: () => number) => Network.to(() => ({ host: "127.0.0.1", port: port() }));
  const networks = {
    database: await to(() => postgres.port),
    replica: await to(() => replica.port),
    smtp: await to(() => inbox.smtpPort),
    storage: await to(() => store.port),
    payments: await to(() => Number(new URL(payments.url).port)),
  };
  const through = ({ port }: Network) => Object.assign(new URL(databaseUrl), { port: String(port) }).href;
  const environment = {
    ...environmentFor(through(networks.database), networks.smtp.port),
    DATABASE_REPLICA_URL: through(networks.replica),
    TRUST_PROXY: "1",
    // A deployment fails no request (rules 25.7).
    DRAIN_SECONDS: "2",
    ...{
      BILLING_PLANS_FILE: plans,
      ...PAYMENT,
      PAYMENT_API_URL: `http://127.0.0.1:${networks.payments.port}`,
    },
    ...{ STORAGE_DRIVER: "s3", S3_BUCKET: "images", S3_REGION: "us-east-1", S3_FORCE_PATH_STYLE: "true" },
    ...{
      S3_ENDPOINT: `http://127.0.0.1:${networks.storage.port}`,
      S3_ACCESS_KEY_ID: "a",
      S3_SECRET_ACCESS_KEY: "b",
    },
  };
  const fleet = await Fleet.start(3, environment, await Clocks.of(3, folder));
  const sql = reconnecting(databaseUrl);
  const replicaUrl = Object.assign(new URL(databaseUrl), { port: String(replica.port) }).href;
  return {
    ...{ postgres, replica, databaseUrl, inbox, store, payments, networks, environment, fleet, sql },
    ofReplica: reconnecting(replicaUrl),
    async stop() {
      await fleet.stop();
      for (const network of Object.values(networks)) network.stop();
      await Promise.all([inbox.stop(), payments.stop(), store.stop()]);
      await replica.stop();
      await postgres.stop();
    },
  };
}

/** Statements of the run itself, which survive what it does to the database. */
function reconnecting(url: string) {
  let database = new SQL({ url, max: 2 });
  return async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return [...(await database.unsafe(text, values))];
      } catch (error) {
        const isLost = /connect|closed|terminat|starting up|shutting down/i.test(String(error));
        if (!isLost || attempt > 50) throw error;
        await database.close({ timeout: 0 }).catch(() => {});
        database = new SQL({ url, max: 2 });
        await Bun.sleep(300);
      }
    }
  };
}
