import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config.ts";
import { startServer } from "../../src/app/server.ts";
import { StartError } from "../../src/app/start-error.ts";
import { createDatabase } from "../../src/dev/postgres.ts";
import { until } from "../support/cluster.ts";
import { runHere, spawnCommand } from "../support/commands.ts";
import { startApi } from "../support/outage.ts";
import { startPooler } from "../support/pooler.ts";
import { startService } from "../support/service.ts";

/* Errors of an operator are reported in one sentence, without a stack trace. */
const t = await startService();

async function run(program: string, given: string[], environment: Record<string, string> = {}) {
  const { code, out, err } = await spawnCommand(program, given, { ...t.environment, ...environment });
  return { code, out, lines: err.trim().split("\n") };
}

const databaseAt = (changes: Partial<Record<"port" | "password" | "pathname" | "hostname", string>>) =>
  Object.assign(new URL(t.databaseUrl), changes).href;
const empty = await createDatabase(
  JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}").url,
  `test_${crypto.randomUUID().replaceAll("-", "")}`,
);

const COMMANDS: [string, string[]][] = [
  ["migrate", ["--status"]],
  ["admin", ["ada@example.com"]],
  ["jobs", ["list"]],
  ["rekey", []],
  ["audit", ["heads"]],
];

test("if a command cannot use the database, it prints one sentence with host, port and cause, and no password", async () => {
  const away = /^The database \w+ at 127\.0\.0\.1:1 cannot be reached: /;
  for (const [program, given] of COMMANDS) {
    const { code, out, lines } = await run(program, given, { DATABASE_URL: databaseAt({ port: "1" }) });
    expect([program, code, lines, out]).toEqual([program, 1, [expect.stringMatching(away)], ""]);
    expect(lines.join()).not.toContain(new URL(t.databaseUrl).password || "no password");
  }
  const none = await runHere("jobs", ["list"], { DATABASE_URL: databaseAt({ pathname: "/none" }) });
  expect(none.err).toMatch(/^The database none at .* refused: database "none" does not exist\n$/);
  expect(none.err).not.toContain(new URL(t.databaseUrl).password || "no password");
});

test("a command exits with 0 when it has done its work", async () => {
  const now = new Date().toISOString();
  for (const [program, ...given] of [
    ["audit", "heads"],
    ["restored", now, "--dry-run"],
  ] as const)
    expect([program, (await run(program, given)).code]).toEqual([program, 0]);
});

test("if the database is not migrated, commands and the log of an instance say so", async () => {
  for (const [name, given] of [
    ["admin", ["ada@example.com"]],
    ["rekey", []],
    ["audit", ["heads"]],
  ] as const) {
    const { code, err } = await runHere(name, [...given], { ...t.environment, DATABASE_URL: empty });
    expect([name, code]).toEqual([name, 1]);
    expect(err).toMatch(/^The database .*is not migrated: run "bun run migrate"\n$/);
  }
  const api = await startApi(empty);
  await api.health("ready");
  const messageOf = (text: string) => api.log.find((line) => line.includes(text));
  const line = await until(() => messageOf('"check":"database"') ?? null);
  expect(JSON.parse(line).err.message).toContain('run "bun run migrate"');
  const queue = await until(() => messageOf("job queue cannot start yet") ?? null);
  expect(JSON.parse(queue).err.message).toBe('The job queue is not in the database: run "bun run migrate"');
});

test("`bun run migrate` through a pooler names the variable to set", async () => {
  const { code, lines } = await run("migrate", [], { DATABASE_URL: await startPooler(empty, "refused") });
  expect([code, lines]).toEqual([1, [expect.stringContaining("set DATABASE_LISTEN_URL")]]);
});

test("a port in use and a console that was not built are reported in one sentence", async () => {
  const { port } = new URL(t.running.url);
  for (const [environment, variable] of [
    [{ PORT: port }, "PORT"],
    [{ PORT: "0", METRICS_PORT: port }, "METRICS_PORT"],
  ] as const) {
    const { code, lines } = await run("server", [], environment);
    const sentence = `The service cannot start: ${variable}: port ${port} of 127.0.0.1 is in use by another process`;
    expect([code, lines]).toEqual([1, [sentence]]);
  }
  const { config } = readConfig({ ...t.environment, WEB: "on" });
  if (config === null) throw new Error("No configuration");
  const started = startServer(config, { webFolder: join(tmpdir(), "nowhere") });
  expect(await started.then(() => null).catch((error) => error)).toBeInstanceOf(StartError);
});

test("a service whose platform has no binary to hash passwords does not start, and says so", async () => {
  // The package looks for its binary only at this path.
  const { code, lines } = await run("server", [], {
    PORT: "0",
    NAPI_RS_NATIVE_LIBRARY_PATH: "/nowhere.node",
  });
  const sentence = "Passwords cannot be hashed: @node-rs/argon2 has no binary for this platform";
  expect([code, lines]).toEqual([1, [`The service cannot start: ${sentence}`]]);
});
