import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { createDatabase } from "../../../src/dev/postgres.ts";
import { spawnInstances } from "../../support/cluster.ts";
import { environmentFor } from "../../support/environment.ts";
import { startMock } from "../../support/payments.ts";
import { PAYMENT, PLANS } from "../../support/plans.ts";
import { deadlocksOf } from "./deadlocks.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import type { Arena } from "./rounds.ts";
import { State } from "./state.ts";
import { StatementGate } from "./statement-gate.ts";

/** Two instances behind gates on a database of their own, for the rounds of one lane. */
export async function openArena(lane: number): Promise<{ arena: Arena; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "race-"));
  const { url: clusterUrl, template } = JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}");
  const databaseName = `race_${process.pid}_${lane}`;
  const databaseUrl = await createDatabase(clusterUrl, databaseName, template);
  const plans = join(folder, "plans.json");
  await writeFile(plans, JSON.stringify(PLANS));
  const payments = startMock();
  const provider = await startIdentityProvider();
  const { hostname, port } = new URL(databaseUrl);
  const gates = [0, 1].map(() => StatementGate.start({ host: hostname, port: Number(port) }));
  const opened = await Promise.all(gates);
  const instances = await Promise.all(
    opened.map(async (gate) => {
      const through = Object.assign(new URL(databaseUrl), { hostname: "127.0.0.1", port: String(gate.port) });
      const environment = {
        ...environmentFor(through.href, 1),
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
  const arena: Arena = {
    instances: instances.flatMap((instance) => instance ?? []),
    gates: opened,
    state: await State.of(sql),
    sign: (type, of, id) => payments.event(type, { customer: of }, { id }),
    sql,
    issuer: provider.issuer,
    deadlocks: await deadlocksOf(sql, databaseName),
  };
  return {
    arena,
    async stop() {
      await Promise.all(arena.instances.map((instance) => instance.stop()));
      for (const gate of opened) gate.stop();
      await database.close();
      await payments.stop();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
