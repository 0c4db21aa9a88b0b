import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startInbox } from "../../../src/dev/inbox.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { environmentFor } from "../../support/environment.ts";
import { Traffic } from "./rolling-load.ts";
import { checkOut, current, Instance, migrate, startNginx } from "./rolling-parts.ts";

/**
 * `bun run proof rolling [commit] [requests per second]` finds requests and mails that are lost while versions change.
 * - Three instances behind nginx change from an earlier version to the current one and back, one at a time. In
 *   between, instances of both versions restart. Meanwhile clients send 200 requests per second.
 * - By default, or for `-`, the earlier version is the commit before the newest migration, or the commit of that
 *   migration if no earlier one can be upgraded.
 * - The exit code is 1 if a request failed or a mail was lost.
 */
const [ref, perSecond = "200"] = process.argv.slice(2);
const cleanUp: (() => Promise<unknown>)[] = [];
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function main(): Promise<boolean> {
  const earlier = await checkOut(ref === "-" ? undefined : ref);
  cleanUp.push(earlier.remove);
  log(`N is ${earlier.about}`);
  const postgres = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
  cleanUp.push(() => postgres.stop());
  const inbox = await startInbox({ webPort: null });
  cleanUp.push(() => inbox.stop());
  const files = await mkdtemp(join(tmpdir(), "rolling-files-"));
  cleanUp.push(() => rm(files, { recursive: true, force: true }));
  const environment = {
    ...environmentFor(await createDatabase(postgres.url, "rolling"), inbox.smtpPort),
    DRAIN_SECONDS: "3",
    LOG_LEVEL: "error",
    STORAGE_DIR: files,
    TRUST_PROXY: "1",
  };

  const [before, after] = [earlier.version, current];
  await migrate(before, environment);
  const instances = [
    new Instance(environment),
    new Instance(environment),
    new Instance(environment),
  ] as const;
  for (const instance of instances) {
    await instance.start(before);
    cleanUp.push(() => instance.stop());
  }
  const nginx = await startNginx(instances.map(({ port }) => port));
  cleanUp.push(nginx.stop);
  const traffic = new Traffic(nginx.url, inbox, Number(perSecond));
  await traffic.prepare();
  log("three instances of N serve");
  const started = performance.now();
  traffic.start();

  const [first, second, third] = instances;
  const step = async (name: string, work: () => Promise<unknown>) => {
    await work();
    log(`${name}: ${traffic.summary()}`);
  };
  await step("an instance of N restarted", () => first.replaceWith(before));
  await step("migrated", () => migrate(after, environment));
  await step("an instance of N restarted on the newer schema", () => second.replaceWith(before));
  await step("one of three is N+1", () => first.replaceWith(after));
  await step("it restarted", () => first.replaceWith(after));
  await step("an instance of N restarted beside it", () => third.replaceWith(before));
  await step("two of three are N+1", () => second.replaceWith(after));
  await step("all are N+1", () => third.replaceWith(after));
  await step("one is N again", () => first.replaceWith(before));
  await step("it restarted", () => first.replaceWith(before));
  await step("an instance of N+1 restarted", () => second.replaceWith(after));
  await step("two are N again", () => second.replaceWith(before));
  await step("all are N again", () => third.replaceWith(before));
  await traffic.stop();

  const seconds = (performance.now() - started) / 1000;
  const { missing, repeated } = await traffic.missingMails();
  log(
    `${traffic.summary()} in ${Math.round(seconds)} s, ${Math.round(traffic.requests / seconds)} per second`,
  );
  for (const line of traffic.failuresByKind()) log(line);
  for (const line of await nginx.problems()) log(`nginx: ${line}`);
  log(
    `${traffic.registered.length} mails queued, ${traffic.registered.length - missing.length} sent, ` +
      `${missing.length} lost, ${repeated} sent twice`,
  );
  return traffic.failures.length === 0 && missing.length === 0;
}

async function end(code: number): Promise<never> {
  for (const work of cleanUp.splice(0).reverse()) await work().catch((error) => console.error(error));
  process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end(130));
await main().then(
  (passed) => end(passed ? 0 : 1),
  (error) => {
    console.error(error);
    return end(1);
  },
);
