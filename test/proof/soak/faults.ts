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

/** A fault that is injected for some time and then repaired. */
type Fault = {
  /**
   * Whether any request may fail during the fault. Other faults may fail only requests that need the affected
   * dependency.
   */
  canFailAnyRequest: boolean;
  /** Whether the fault delays the network to the database. */
  slowsDatabase?: boolean;
  /** Injects the fault and repairs it. Resolves to a description if an instance reacted wrongly. */
  run(s: Environment, random: Random, wait: () => Promise<void>): Promise<unknown>;
};

const terminate = ({ sql }: Pick<Environment, "sql">, where: string) =>
  sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${where}`);
const SLOW_MS = 100;
const IS_INSTANCE = "datname = current_database()";

/** Terminates the connections of the change feed. */
export const resetFeed = (sql: Environment["sql"]) =>
  terminate({ sql }, `${IS_INSTANCE} AND query ILIKE 'LISTEN%'`);

/** Returns the faults of the network between the instances and one dependency. */
const during = (
  name: keyof Environment["networks"],
  begin: (network: Network, random: Random) => void,
  { canFailAnyRequest = name === "database", times = 1 } = {},
): Fault => ({
  canFailAnyRequest,
  async run({ networks }, random, wait) {
    begin(networks[name], random);
    for (let time = 0; time < times; time += 1) await wait();
    networks[name].restore();
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

function whileStore(set: (store: Environment["store"], isOn: boolean) => void): Fault {
  return {
    canFailAnyRequest: false,
    async run({ store }, _random, wait) {
      set(store, true);
      await wait();
      set(store, false);
    },
  };
}

const isReceiver = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("walreceiver");

/** All kinds of faults, by name. */
export const FAULTS: Record<string, Fault> = {
  "kill an instance": {
    canFailAnyRequest: true,
    run: ({ fleet }, random) => fleet.replace(random(fleet.instances.length), { isCrash: true }),
  },
  // The database is made slow, so that requests are still running when the drain ends.
  "deploy an instance": {
    canFailAnyRequest: false,
    slowsDatabase: true,
    async run({ fleet, networks }, random) {
      networks.database.delay(SLOW_MS);
      await fleet.replace(random(fleet.instances.length), { isCrash: false });
      networks.database.restore();
    },
  },
  "terminate backends": { canFailAnyRequest: true, run: (s) => terminate(s, IS_INSTANCE) },
  "reset the change feed": {
    canFailAnyRequest: false,
    run: (s) => resetFeed(s.sql),
  },
  "restart PostgreSQL": {
    canFailAnyRequest: true,
    async run({ postgres }, random) {
      signal(postgres.pid, random(2) === 0 ? "SIGINT" : "SIGQUIT");
      while (alive([postgres.pid]).length > 0) await Bun.sleep(50);
      await postgres.restart();
    },
  },
  "freeze PostgreSQL": {
    canFailAnyRequest: true,
    async run({ postgres }, _random, wait) {
      await frozen([postgres.pid, ...childrenOf(postgres.pid)], wait);
    },
  },
  // The database is made slow, so that statements with deadlines are running.
  "move a clock": {
    canFailAnyRequest: false,
    slowsDatabase: true,
    async run({ fleet: { clocks, instances }, networks }, random, wait) {
      const index = random(instances.length);
      const seconds = [-3600, -240, -30, 30, 240, 3600][random(6)] ?? 0;
      networks.database.delay(SLOW_MS);
      await clocks.move(index, seconds);
      await wait();
      await clocks.move(index, 0);
      await wait();
      networks.database.restore();
    },
  },
  // After the fault, the replica continues from the WAL that the primary has kept.
  "kill the replica": {
    canFailAnyRequest: false,
    async run({ replica }, random, wait) {
      signal(replica.pid, random(2) === 0 ? "SIGINT" : "SIGQUIT");
      while (alive([replica.pid]).length > 0) await Bun.sleep(50);
      await wait();
      await replica.restart();
    },
  },
  "freeze the replica": {
    canFailAnyRequest: false,
    run: ({ replica }, _random, wait) => frozen([replica.pid, ...childrenOf(replica.pid)], wait),
  },
  // During the fault the replica responds, but its data is old.
  "stop replication": {
    canFailAnyRequest: false,
    run: ({ replica }, _random, wait) => frozen(childrenOf(replica.pid).filter(isReceiver), wait),
  },
  "reset replica connections": during("replica", (network) => network.resetConnections()),
  "blackholed replica": during("replica", (network) => network.blackhole()),
  "slow database": {
    ...during("database", (network) => network.delay(SLOW_MS), { canFailAnyRequest: false }),
    slowsDatabase: true,
  },
  "blackholed database": withoutDatabase((network) => network.blackhole()),
  "unreachable database": withoutDatabase((network) => network.refuse()),
  "reset database connections": during("database", (network) => network.resetConnections()),
  "flaky database": during("database", (network, random) => network.makeFlaky(random), { times: 2 }),
  "unreachable SMTP": during("smtp", (network) => network.refuse()),
  "blackholed SMTP": during("smtp", (network) => network.blackhole()),
  "half-open SMTP": during("smtp", (network) => network.makeHalfOpen()),
  "flaky SMTP": during("smtp", (network, random) => network.makeFlaky(random)),
  "slow SMTP": during("smtp", (network) => network.delay(300)),
  "unreachable storage": during("storage", (network) => network.refuse()),
  "slow storage": during("storage", (network) => network.delay(300)),
  "half-open storage": during("storage", (network) => network.makeHalfOpen()),
  "flaky storage": during("storage", (network, random) => network.makeFlaky(random)),
  "failing storage": whileStore((store, isOn) => store.fail(isOn)),
  "full storage": whileStore((store, isOn) => store.fill(isOn)),
  "unreachable payments": during("payments", (network) => network.refuse()),
  "half-open payments": during("payments", (network) => network.makeHalfOpen()),
  "flaky payments": during("payments", (network, random) => network.makeFlaky(random)),
};

const NEW_KEYS = {
  JWT_SECRET: "another-secret-that-only-a-soak-knows-0123456789",
  JOBS_ENCRYPTION_KEY: "another-jobs-key-0123456789-0123456789-01234",
  TWO_FACTOR_ENCRYPTION_KEY: "another-two-factor-key-0123456789-0123456789",
};

/** Changes all keys as docs/operate/keys.md describes. No request must fail, and no token may be rejected. */
export async function changeKeys(
  { fleet }: Environment,
  before: Record<string, string | undefined>,
): Promise<void> {
  const names = Object.keys(NEW_KEYS);
  const previous = (keys: Record<string, string | undefined>) =>
    Object.fromEntries(names.map((name) => [`${name}_PREVIOUS`, keys[name] ?? ""]));
  await fleet.roll(previous(NEW_KEYS));
  await fleet.roll({ ...NEW_KEYS, ...previous(before) });
}
