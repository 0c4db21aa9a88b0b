import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config.ts";
import { startServer } from "../../src/app/server.ts";
import { StartError } from "../../src/app/start-error.ts";
import { createDatabase } from "../../src/dev/postgres.ts";
import { until } from "../support/cluster.ts";
import { startApi } from "../support/outage.ts";
import { startPooler } from "../support/pooler.ts";
import { startService } from "../support/service.ts";

/* Errors of an operator are reported in one sentence, without a stack trace. */
const t = await startService();
const SOURCES = join(import.meta.dir, "../../src");

async function run(program: string, parameters: string[], environment: Record<string, string>) {
  const child = Bun.spawn(["bun", join(SOURCES, `${program}.ts`), ...parameters], {
    env: { PATH: process.env.PATH, ...t.environment, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, lines: err.trim().split("\n") };
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
  const wrong: [string, RegExp][] = [
    [databaseAt({ port: "1" }), /^The database \w+ at 127\.0\.0\.1:1 cannot be reached: /],
    [databaseAt({ pathname: "/none" }), /^The database none at .* refused: database "none" does not exist$/],
  ];
  for (const [DATABASE_URL, sentence] of wrong)
    for (const [program, parameters] of COMMANDS) {
      const { code, out, lines } = await run(program, parameters, { DATABASE_URL });
      expect([program, code, lines, out]).toEqual([program, 1, [expect.stringMatching(sentence)], ""]);
      expect(lines.join()).not.toContain(new URL(t.databaseUrl).password || "no password");
    }
});

test("if the database is not migrated, commands and the log of an instance say so", async () => {
  for (const [program, parameters] of COMMANDS.filter(([name]) =>
    ["admin", "rekey", "audit"].includes(name),
  )) {
    const { code, lines } = await run(program, parameters, { DATABASE_URL: empty });
    expect([program, code, lines]).toEqual([
      program,
      1,
      [expect.stringContaining('is not migrated: run "bun run migrate"')],
    ]);
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

test("a time in the future and an unreadable file are named in the error of a command", async () => {
  const future = await run("restored", ["2999-01-01T00:00:00Z"], {});
  expect([future.code, future.lines[0]]).toEqual([1, "2999-01-01T00:00:00Z is in the future"]);
  const heads = await run("audit", ["verify", "--heads", "/nowhere/heads"], {});
  expect([heads.code, heads.lines]).toEqual([1, ["/nowhere/heads cannot be read"]]);
});
