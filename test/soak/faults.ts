import { readFileSync } from "node:fs";
import type { Postgres } from "../../src/dev/postgres.ts";
import type { Random } from "../support/image-mutations.ts";
import { alive, childrenOf, signal } from "../support/processes.ts";
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
  run(s: Surroundings, random: Random, wait: () => Promise<void>): Promise<void>;
};

const terminate = (s: Surroundings, where: string) =>
  s.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${where}`);
const OF_INSTANCES = "datname = current_database()";

const during = (name: keyof Surroundings["networks"], begin: (network: Network) => void): Fault => ({
  isHard: name === "database",
  async run({ networks }, _random, wait) {
    begin(networks[name]);
    await wait();
    networks[name].restore();
  },
});

async function frozen(pids: number[], wait: () => Promise<void>) {
  for (const pid of pids) signal(pid, "SIGSTOP");
  await wait();
  for (const pid of pids) signal(pid, "SIGCONT");
}

const isReceiver = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("walreceiver");

/** Every kind of fault by its name. A hard one may fail any request; others only those that need what is away. */
export const FAULTS: Record<string, Fault> = {
  "kill an instance": {
    isHard: true,
    run: ({ fleet }, random) => fleet.replace(random(fleet.instances.length), { isCrash: true }),
  },
  "deploy an instance": {
    isHard: true,
    run: ({ fleet }, random) => fleet.replace(random(fleet.instances.length), { isCrash: false }),
  },
  "terminate backends": { isHard: true, run: async (s) => void (await terminate(s, OF_INSTANCES)) },
  "cut the change feed": {
    isHard: false,
    run: async (s) => void (await terminate(s, `${OF_INSTANCES} AND query ILIKE 'LISTEN%'`)),
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
  "move a clock": {
    isHard: false,
    async run({ fleet: { clocks, instances } }, random, wait) {
      const index = random(instances.length);
      const seconds = [-3600, -240, -30, 30, 240, 3600][random(6)] ?? 0;
      await clocks.move(index, seconds);
      await wait();
      await clocks.move(index, 0);
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
  "slow database": during("database", (network) => network.slow(60)),
  "silent database": during("database", (network) => network.silence()),
  "cut database": during("database", (network) => network.cut()),
  "no SMTP": during("smtp", (network) => network.remove()),
  "silent SMTP": during("smtp", (network) => network.silence()),
  "slow SMTP": during("smtp", (network) => network.slow(300)),
  "no storage": during("storage", (network) => network.remove()),
  "slow storage": during("storage", (network) => network.slow(300)),
  "full storage": {
    isHard: false,
    async run({ store }, _random, wait) {
      store.fill(true);
      await wait();
      store.fill(false);
    },
  },
  "no payments": during("payments", (network) => network.remove()),
};

/** What happens once in the middle of a run: every instance starts anew, with new keys; the old ones are still accepted. */
export const changeKeys = (
  { fleet }: Surroundings,
  before: Record<string, string | undefined>,
): Promise<void> =>
  fleet.roll({
    JWT_SECRET: "another-secret-that-only-a-soak-knows-0123456789",
    JWT_SECRET_PREVIOUS: before.JWT_SECRET ?? "",
    JOBS_ENCRYPTION_KEY: "another-jobs-key-0123456789-0123456789-01234",
    JOBS_ENCRYPTION_KEY_PREVIOUS: before.JOBS_ENCRYPTION_KEY ?? "",
  });
