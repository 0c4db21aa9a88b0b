import { expect, test } from "bun:test";
import { join } from "node:path";
import { listLogCalls } from "../support/log-calls.ts";

const calls = await listLogCalls();
const inventory = await Bun.file(join(import.meta.dir, "../../docs/logs.md")).text();
const rows = [...inventory.matchAll(/^\| (info|warn|error)\s*\| `([^`]+)`\s*\| ([^|]*) \|/gm)].map(
  ([, level = "", message = "", fields = ""]) => ({
    level,
    message,
    fields: [...fields.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  }),
);
const sorted = <Row extends { message: string }>(all: Row[]) =>
  all.toSorted((one, other) => (one.message < other.message ? -1 : 1));

/** Names of fields that may contain secrets or parts of requests. */
const SECRET = /token|secret|password|cookie|authorization|header|body|email|name|key|hash|payload|query/i;

test("the log inventory lists every line that the service logs, with its level and fields", () => {
  expect(calls.length).toBeGreaterThan(20);
  // The lines of a product are not in the service's inventory.
  const own = calls.filter(({ file }) => !file.startsWith("src/product/"));
  const logged = own.map(({ level, message, fields }) => ({ level, message, fields }));
  expect(sorted(rows)).toEqual(sorted(logged));
});

test("no field of a log line is for secrets, names, emails, bodies or headers", () => {
  // The id of an API key is not secret.
  const fields = calls.flatMap((call) => call.fields).filter((field) => field !== "apiKeyId");
  const suspicious = fields.filter((field) => SECRET.test(field));
  expect(suspicious).toEqual([]);
});

test("while the service runs, only the logger writes to standard output", async () => {
  const found: string[] = [];
  for (const file of new Bun.Glob("src/{core,features,platform}/**/*.{ts,tsx}").scanSync(
    join(import.meta.dir, "../.."),
  )) {
    const text = await Bun.file(join(import.meta.dir, "../..", file)).text();
    if (/\bconsole\.|process\.std(out|err)\b/.test(text)) found.push(file);
  }
  expect(found).toEqual(["src/platform/log-output.ts"]);
});
