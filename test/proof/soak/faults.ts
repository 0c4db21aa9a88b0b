import { readFileSync } from "node:fs";
import type { Postgres } from "../../../src/dev/postgres.ts";
import type { Random } from "../../support/image-mutations.ts";
import { alive, childrenOf, signal } from "../../support/processes.ts";
import type { Fleet } from "./fleet.ts";
import type { Network } from "./network.ts";
import type { startObjectStore } from "./object-store.ts";

export type Environment = {
  fleet: Fleet;
  postgres: Postgres;
  replica: Postgres;
  networks: Record<"database" | "replica" | "smtp" | "storage" | "payments", Network>;
  store: ReturnType<typeof startObjectStore>;
  sql(text: string): Promise<unknown>;
};

type Run = (s: Environment, random: Random, wait: () => Promise<void>) => Promise<unknown>;
/** A fault that is injected for some time and then repaired. */
type Fault = {
  /** Injects the fault and repairs it. Resolves to a description if an instance reacted wrongly. */
  run: Run;
  /**
   * Whether any request may fail during the fault. Other faults may fail only requests that need the affected
   * dependency.
   */
  canFailAnyRequest?: boolean;
  /** Whether the fault delays the network to the database. */
  slowsDatabase?: boolean;
};

const terminate = ({ sql }: Environment, where: string) =>
  sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${where}`);
const SLOW_MS = 100;
const IS_INSTANCE = "datname = current_database()";

/** What can happen to the network between the instances and a dependency. */
const NETWORK: Record<string, (network: Network, random: Random) => void> = {
  unreachable: (network) => network.refuse(),
  blackholed: (network) => network.blackhole(),
  "half-open": (network) => network.makeHalfOpen(),
  flaky: (network, random) => network.makeFlaky(random),
  slow: (network) => network.delay(300),
  reset: (network) => network.resetConnections(),
};
/** The faults of the network to each dependency. That to the database has further ones. */
const NETWORKS: Record<string, { name: keyof Environment["networks"]; faults: string[] }> = {
  SMTP: { name: "smtp", faults: ["unreachable", "blackholed", "half-open", "flaky", "slow"] },
  storage: { name: "storage", faults: ["unreachable", "slow", "half-open", "flaky"] },
  payments: { name: "payments", faults: ["unreachable", "half-open", "flaky"] },
  replica: { name: "replica", faults: ["reset", "blackholed"] },
  database: { name: "database", faults: ["reset", "flaky"] },
};
const networkFaults = Object.entries(NETWORKS).flatMap(([dependency, { name, faults }]) =>
  faults.map((fault): [string, Fault] => [
    `${fault} ${dependency}`,
    {
      canFailAnyRequest: name === "database",
      async run({ networks }, random, wait) {
        NETWORK[fault]?.(networks[name], random);
        await wait();
        networks[name].restore();
      },
    },
  ]),
);

/** Runs something while the network to the database is slow, so that statements and requests are running. */
const whileSlow = (run: Run): Fault => ({
  slowsDatabase: true,
  async run(s, random, wait) {
    s.networks.database.delay(SLOW_MS);
    await run(s, random, wait);
    s.networks.database.restore();
  },
});

/**
 * Returns a fault that makes the database unavailable. Until it ends, all instances must report that they are not
 * ready.
 */
const withoutDatabase = (begin: (network: Network) => void): Fault => ({
  canFailAnyRequest: true,
  async run({ networks, fleet }, _random, wait) {
    begin(networks.database);
    const [, ready] = await Promise.all([wait(), fleet.untilNoneIsReady()]);
    networks.database.restore();
    return ready;
  },
});

async function frozen(pids: number[], wait: () => Promise<void>) {
  for (const pid of pids) signal(pid, "SIGSTOP");
  await wait();
  for (const pid of pids) signal(pid, "SIGCONT");
}

async function killed(server: Postgres, random: Random, wait = async () => {}) {
  signal(server.pid, random(2) === 0 ? "SIGINT" : "SIGQUIT");
  while (alive([server.pid]).length > 0) await Bun.sleep(50);
  await wait();
  await server.restart();
}

const whileStore = (set: (store: Environment["store"], isOn: boolean) => void): Fault => ({
  async run({ store }, _random, wait) {
    set(store, true);
    await wait();
    set(store, false);
  },
});

const isReceiver = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("walreceiver");

/** All kinds of faults, by name. */
export const FAULTS: Record<string, Fault> = {
  ...Object.fromEntries(networkFaults),
  "kill an instance": {
    canFailAnyRequest: true,
    run: ({ fleet }, random) => fleet.replace(random(fleet.instances.length), { isCrash: true }),
  },
  // The database is made slow, so that requests are still running when the drain ends.
  "deploy an instance": whileSlow(({ fleet }, random) =>
    fleet.replace(random(fleet.instances.length), { isCrash: false }),
  ),
  "terminate backends": { canFailAnyRequest: true, run: (s) => terminate(s, IS_INSTANCE) },
  "reset the change feed": { run: (s) => terminate(s, `${IS_INSTANCE} AND query ILIKE 'LISTEN%'`) },
  "restart PostgreSQL": { canFailAnyRequest: true, run: ({ postgres }, random) => killed(postgres, random) },
  "freeze PostgreSQL": {
    canFailAnyRequest: true,
    run: ({ postgres }, _random, wait) => frozen([postgres.pid, ...childrenOf(postgres.pid)], wait),
  },
  "move a clock": whileSlow(async ({ fleet: { clocks, instances } }, random, wait) => {
    const index = random(instances.length);
    await clocks.move(index, [-3600, -240, -30, 30, 240, 3600][random(6)] ?? 0);
    await wait();
    await clocks.move(index, 0);
    await wait();
  }),
  // After the fault, the replica continues from the WAL that the primary has kept.
  "kill the replica": { run: ({ replica }, random, wait) => killed(replica, random, wait) },
  "freeze the replica": {
    run: ({ replica }, _random, wait) => frozen([replica.pid, ...childrenOf(replica.pid)], wait),
  },
  // During the fault the replica responds, but its data is old.
  "stop replication": {
    run: ({ replica }, _random, wait) => frozen(childrenOf(replica.pid).filter(isReceiver), wait),
  },
  "slow database": whileSlow((_s, _random, wait) => wait()),
  "blackholed database": withoutDatabase((network) => network.blackhole()),
  "unreachable database": withoutDatabase((network) => network.refuse()),
  "failing storage": whileStore((store, isOn) => store.fail(isOn)),
  "full storage": whileStore((store, isOn) => store.fill(isOn)),
};
