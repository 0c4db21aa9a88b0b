import { SQL } from "bun";
import { migrateAll } from "../../../src/app/migrate.ts";
import { startInbox } from "../../../src/dev/inbox.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { environmentFor } from "../../support/environment.ts";
import { startMock } from "../../support/payments.ts";
import { PAYMENT } from "../../support/plans.ts";
import { startReplica } from "../../support/replica.ts";
import { LOCAL } from "../../support/webhooks.ts";
import { Clocks } from "./clocks.ts";
import { Fleet } from "./fleet.ts";
import { Network } from "./network.ts";
import { startObjectStore } from "./object-store.ts";
import { startUnreliableReceiver } from "./webhooks.ts";

/** Starts three instances and their dependencies. A separate simulated network leads to each dependency. */
export async function openEnvironment({ plans, folder }: { plans: string; folder: string }) {
  const settings = { fsync: "off", synchronous_commit: "on", max_connections: "200", wal_keep_size: "1GB" };
  const postgres = await startPostgres({ dataDir: null, settings });
  const databaseUrl = await createDatabase(postgres.url, "soak");
  await migrateAll(databaseUrl);
  const replica = await startReplica(postgres, settings);
  const inbox = await startInbox({ webPort: null });
  const store = startObjectStore();
  const payments = startMock();
  const receiver = startUnreliableReceiver();
  const networkTo = (port: () => number) => Network.start(() => ({ host: "127.0.0.1", port: port() }));
  const networks = {
    database: await networkTo(() => postgres.port),
    replica: await networkTo(() => replica.port),
    smtp: await networkTo(() => inbox.smtpPort),
    storage: await networkTo(() => store.port),
    payments: await networkTo(() => Number(new URL(payments.url).port)),
  };
  const urlThrough = ({ port }: Network) => Object.assign(new URL(databaseUrl), { port: String(port) }).href;
  const variables = {
    ...environmentFor(urlThrough(networks.database), networks.smtp.port),
    DATABASE_REPLICA_URL: urlThrough(networks.replica),
    ...LOCAL,
    TRUST_PROXY: "1",
    // The drain time is set, because deploying a new version must fail no request (rules 25.7).
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
  const fleet = await Fleet.start(3, variables, await Clocks.of(3, folder));
  const sql = reconnecting(databaseUrl);
  const replicaUrl = Object.assign(new URL(databaseUrl), { port: String(replica.port) }).href;
  return {
    ...{ postgres, replica, databaseUrl, inbox, store, payments, receiver, networks, variables, fleet, sql },
    replicaSql: reconnecting(replicaUrl),
    async stop() {
      await fleet.stop();
      for (const network of Object.values(networks)) network.stop();
      await Promise.all([inbox.stop(), payments.stop(), store.stop(), receiver.stop()]);
      await replica.stop();
      await postgres.stop();
    },
  };
}

/**
 * Returns a function with which the soak test itself queries the database. It reconnects after faults of the
 * database.
 */
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
