import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { createDatabase } from "../../../src/dev/postgres.ts";
import { spawnInstances } from "../../support/cluster.ts";
import { environmentFor } from "../../support/environment.ts";
import { startMock } from "../../support/payments.ts";
import { PAYMENT, PLANS } from "../../support/plans.ts";
import { DatabaseState } from "./database-state.ts";
import { deadlocksOf } from "./deadlocks.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import type { Scenario } from "./rounds.ts";
import { StatementGate } from "./statement-gate.ts";

/** The paid plan allows one service account and one webhook endpoint more than the organization has. */
const withLastPlaces = ({ limits, ...plan }: (typeof PLANS.plans)[number]) => ({
  ...plan,
  limits: plan.key === "pro" ? { ...limits, serviceAccounts: 3, webhookEndpoints: 4 } : limits,
});

/** Starts two instances for the rounds of one worker, each connected through a gate to the same new database. */
export async function openScenario(worker: number): Promise<{ scenario: Scenario; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "race-"));
  const { url: clusterUrl, template } = JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}");
  const databaseName = `race_${process.pid}_${worker}`;
  const databaseUrl = await createDatabase(clusterUrl, databaseName, template);
  const plans = join(folder, "plans.json");
  await writeFile(plans, JSON.stringify({ ...PLANS, plans: PLANS.plans.map(withLastPlaces) }));
  const payments = startMock();
  const provider = await startIdentityProvider();
  const { hostname, port } = new URL(databaseUrl);
  const gates = [0, 1].map(() => StatementGate.start({ host: hostname, port: Number(port) }));
  const startedGates = await Promise.all(gates);
  const instances = await Promise.all(
    startedGates.map(async (gate) => {
      const gateUrl = Object.assign(new URL(databaseUrl), { hostname: "127.0.0.1", port: String(gate.port) });
      const environment = {
        ...environmentFor(gateUrl.href, 1),
        DATABASE_LISTEN_URL: databaseUrl,
        INSTANCE_ROLE: "api",
        TRUST_PROXY: "1",
        BILLING_PLANS_FILE: plans,
        ...PAYMENT,
        ...provider.environment,
        PAYMENT_API_URL: payments.url,
        STORAGE_DRIVER: "local",
        STORAGE_DIR: join(folder, "storage"),
      };
      return (await spawnInstances(1, environment))[0];
    }),
  );
  const database = new SQL({ url: databaseUrl, max: 1 });
  const sql = async (text: string) => [...(await database.unsafe(text).simple())];
  const scenario: Scenario = {
    instances: instances.flatMap((instance) => instance ?? []),
    gates: startedGates,
    state: await DatabaseState.of(sql),
    sign: (type, of, id) => payments.event(type, { customer: of }, { id }),
    sql,
    issuer: provider.issuer,
    deadlocks: await deadlocksOf(sql, databaseName),
  };
  return {
    scenario,
    async stop() {
      await Promise.all(scenario.instances.map((instance) => instance.stop()));
      for (const gate of startedGates) gate.stop();
      await database.close();
      await payments.stop();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
