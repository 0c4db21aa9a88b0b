import { readFileSync } from "node:fs";
import type { Postgres } from "../../../src/dev/postgres.ts";
import type { Random } from "../../support/image-mutations.ts";
import { alive, childrenOf, signal } from "../../support/processes.ts";
import type { Fleet } from "./fleet.ts";
import type { Network } from "./network.ts";
import type { startObjectStore } from "./object-store.ts";

export type Surroundings = {
  fleet: Fleet;
  postgres: Postgres;
  replica: Postgres;
  networks: Record<"database" | "replica" | "smtp" | "storage" | "payments", Network>;
  store: ReturnType<typeof startObjectStore>;
  sql(text: string): Promise<unknown>;
};

/** Something that goes wrong, for a time, and is put right again. */
type Fault = {
  isHard: boolean;
  /** Resolves to what is wrong of how the instances took it, if anything. */
  run(s: Surroundings, random: Random, wait: () => Promise<void>): Promise<unknown>;
};

const terminate = ({ sql }: Pick<Surroundings, "sql">, where: string) =>
  sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${where}`);
const SLOW_MS = 100;
const OF_INSTANCES = "datname = current_database()";

/** Ends the connections by which the instances hear of changes. */
export const cutFeed = (sql: Surroundings["sql"]) =>
  terminate({ sql }, `${OF_INSTANCES} AND query ILIKE 'LISTEN%'`);

const during = (
  name: keyof Surroundings["networks"],
  begin: (network: Network, random: Random) => void,
  { isHard = name === "database", times = 1 } = {},
): Fault => ({
  isHard,
  async run({ networks }, random, wait) {
    begin(networks[name], random);
    for (let time = 0; time < times; time += 1) await wait();
    networks[name].restore();
  },
});

/** The same while nothing that needs the database can work: no instance may say that it is ready. */
const withoutDatabase = (begin: (network: Network) => void): Fault => ({
  isHard: true,
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

function whileStore(set: (store: Surroundings["store"], isOn: boolean) => void): Fault {
  return {
    isHard: false,
    async run({ store }, _random, wait) {
      set(store, true);
      await wait();
      set(store, false);
    },
  };
}

const isReceiver = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("walreceiver");

/** Every kind of fault by its name. A hard one may fail any request; others only those that need what is away. */
export const FAULTS: Record<string, Fault> = {
  "kill an instance": {
    isHard: true,
    run: ({ fleet }, random) => fleet.replace(random(fleet.instances.length), { isCrash: true }),
  },
  // On a slow database, so that requests are under way when the drain ends.
  "deploy an instance": {
    isHard: false,
    async run({ fleet, networks }, random) {
      networks.database.slow(SLOW_MS);
      await fleet.replace(random(fleet.instances.length), { isCrash: false });
      networks.database.restore();
    },
  },
  "terminate backends": { isHard: true, run: (s) => terminate(s, OF_INSTANCES) },
  "cut the change feed": {
    isHard: false,
    run: (s) => cutFeed(s.sql),
  },
  "restart PostgreSQL": {
    isHard: true,
    async run({ postgres }, random) {
      signal(postgres.pid, random(2) === 0 ? "SIGINT" : "SIGQUIT");
      while (alive([postgres.pid]).length > 0) await Bun.sleep(50);
      await postgres.restart();
    },
  },
  "freeze PostgreSQL": {
    isHard: true,
    async run({ postgres }, _random, wait) {
      await frozen([postgres.pid, ...childrenOf(postgres.pid)], wait);
    },
  },
  // While statements are on their way, which have deadlines.
  "move a clock": {
    isHard: false,
    async run({ fleet: { clocks, instances }, networks }, random, wait) {
      const index = random(instances.length);
      const seconds = [-3600, -240, -30, 30, 240, 3600][random(6)] ?? 0;
      networks.database.slow(SLOW_MS);
      await clocks.move(index, seconds);
      await wait();
      await clocks.move(index, 0);
      await wait();
      networks.database.restore();
    },
  },
  // It takes up again where it was, from what the primary has kept.
  "kill the replica": {
    isHard: false,
    async run({ replica }, random, wait) {
      signal(replica.pid, random(2) === 0 ? "SIGINT" : "SIGQUIT");
      while (alive([replica.pid]).length > 0) await Bun.sleep(50);
      await wait();
      await replica.restart();
    },
  },
  "freeze the replica": {
    isHard: false,
    run: ({ replica }, _random, wait) => frozen([replica.pid, ...childrenOf(replica.pid)], wait),
  },
  // It answers, and is behind.
  "stop replication": {
    isHard: false,
    run: ({ replica }, _random, wait) => frozen(childrenOf(replica.pid).filter(isReceiver), wait),
  },
  "cut replica": during("replica", (network) => network.cut()),
  "silent replica": during("replica", (network) => network.silence()),
  "slow database": during("database", (network) => network.slow(SLOW_MS), { isHard: false }),
  "silent database": withoutDatabase((network) => network.silence()),
  "no database": withoutDatabase((network) => network.remove()),
  "cut database": during("database", (network) => network.cut()),
  "flaky database": during("database", (network, random) => network.flake(random), { times: 2 }),
  "no SMTP": during("smtp", (network) => network.remove()),
  "silent SMTP": during("smtp", (network) => network.silence()),
  "vanished SMTP": during("smtp", (network) => network.vanish()),
  "flaky SMTP": during("smtp", (network, random) => network.flake(random)),
  "slow SMTP": during("smtp", (network) => network.slow(300)),
  "no storage": during("storage", (network) => network.remove()),
  "slow storage": during("storage", (network) => network.slow(300)),
  "vanished storage": during("storage", (network) => network.vanish()),
  "flaky storage": during("storage", (network, random) => network.flake(random)),
  "failing storage": whileStore((store, isOn) => store.fail(isOn)),
  "full storage": whileStore((store, isOn) => store.fill(isOn)),
  "no payments": during("payments", (network) => network.remove()),
  "vanished payments": during("payments", (network) => network.vanish()),
  "flaky payments": during("payments", (network, random) => network.flake(random)),
};

const NEW_KEYS = {
  JWT_SECRET: "another-secret-that-only-a-soak-knows-0123456789",
  JOBS_ENCRYPTION_KEY: "another-jobs-key-0123456789-0123456789-01234",
  TWO_FACTOR_ENCRYPTION_KEY: "another-two-factor-key-0123456789-0123456789",
};

/** What happens once in the middle of a run, as docs/operate/keys.md describes: it fails no request, and refuses no token. */
export async function changeKeys(
  { fleet }: Surroundings,
  before: Record<string, string | undefined>,
): Promise<void> {
  const names = Object.keys(NEW_KEYS);
  const previous = (keys: Record<string, string | undefined>) =>
    Object.fromEntries(names.map((name) => [`${name}_PREVIOUS`, keys[name] ?? ""]));
  await fleet.roll(previous(NEW_KEYS));
  await fleet.roll({ ...NEW_KEYS, ...previous(before) });
}
