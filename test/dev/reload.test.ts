import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/cluster.ts";

const ROOT = join(import.meta.dir, "../..");
let folder: string;
let dev: Bun.Subprocess<"ignore", "pipe", "pipe">;
let url: string;
let output = "";

beforeAll(async () => {
  // A copy of the repository, because these tests change source files.
  folder = await mkdtemp(join(tmpdir(), "dev-"));
  for (const name of ["src", "sql", "migrations", "package.json", "tsconfig.json"])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  dev = Bun.spawn(["bun", "src/dev.ts"], { cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  void collect(dev.stdout);
  void collect(dev.stderr);
  await happens(() => /Console {3}(\S+)/.test(output));
  url = /Console {3}(\S+)/.exec(output)?.[1] ?? "";
});

afterAll(async () => {
  dev.kill("SIGTERM");
  await dev.exited;
  await rm(folder, { recursive: true, force: true });
});

test("`bun run dev` sends the events of Acme to its receiver, which verifies them", async () => {
  const post = (path: string, body: object, headers = {}) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const account = { email: "ada@demo.example", password: "demo password" };
  const { accessToken } = (await (await post("/api/auth/login", account)).json()) as { accessToken: string };
  await post(
    "/api/units",
    { name: "For the receiver", parentId: null },
    { authorization: `Bearer ${accessToken}` },
  );
  const receiver = /Webhooks {2}(\S+)/.exec(output)?.[1];
  await happens(async () => {
    const received = (await (await fetch(`${receiver}api/webhooks`)).json()) as object[];
    return received.some((one) => /"valid".*For the receiver/.test(JSON.stringify(one)));
  });
});

test("`bun run dev` serves no page of the console at well-known paths, and the service responds to preflight requests", async () => {
  for (const path of ["/.well-known/unknown", "/.well-known/change-password", "/.well-known/"]) {
    const response = await fetch(url + path, { headers: { accept: "text/html" } });
    expect([path, response.status, ((await response.json()) as { code: string }).code]).toEqual([
      path,
      404,
      "NOT_FOUND",
    ]);
  }
  const origin = "http://localhost:5173";
  const asked = { origin, "access-control-request-method": "POST" };
  const preflight = await fetch(`${url}/api/auth/refresh`, { method: "OPTIONS", headers: asked });
  const { headers } = await fetch(`${url}/api/health/live`, { headers: { origin } });
  for (const sent of [preflight.headers, headers])
    expect([sent.get("access-control-allow-origin"), sent.get("access-control-allow-credentials")]).toEqual([
      origin,
      "true",
    ]);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("Idempotency-Key");
  const foreign = { ...asked, origin: "https://example.com" };
  const refused = [
    await fetch(`${url}/api/auth/refresh`, { method: "OPTIONS", headers: foreign }),
    // A browser is never the caller of the product's routes (rules 36.5).
    await fetch(`${url}/api/product/check`, { method: "OPTIONS", headers: asked }),
  ];
  for (const { headers } of refused) expect(headers.get("access-control-allow-origin")).toBeNull();
});

test("`bun run dev` applies a changed route without being restarted", async () => {
  await replace("src/features/units/routes.ts", /summary: "Create [^"]*"/, 'summary: "Changed by the test"');
  await happens(async () => (await text("/api/docs-json")).includes("Changed by the test"));
});

test("`bun run dev` generates types for a changed query and applies it without being restarted", async () => {
  await replace("sql/units.sql", "u.name, u.created_at,", 'upper(u.name) AS "name!", u.created_at,');
  await happens(async () => (await generated("sql/units.queries.ts")).includes("upper("));
  await happens(async () => /Reloaded .*sql\/units\.sql/.test(output));
  await happens(async () => (await fetch(`${url}/api/health/live`)).ok);
});

test("while the API cannot start, `bun run dev` returns 503, and starts the API at the next change", async () => {
  const restore = await replace("src/features/units/routes.ts", "import {", "importx {");
  await happens(async () => (await fetch(`${url}/api/health/live`)).status === 503);
  await restore();
  await happens(async () => (await fetch(`${url}/api/health/live`)).ok);
});

test("`bun run dev` serves the console from its sources, and a change is in the next request for the module", async () => {
  expect(await text("/units")).toContain("/main.tsx");
  await replace("src/web/texts/units.ts", 'en: "Units"', 'en: "Changed units"');
  await happens(async () => (await text("/texts/units.ts")).includes("Changed units"));
});

test("`bun run dev` reports a failed migration with its cause and with what to do", async () => {
  await mkdir(join(folder, "migrations/product"), { recursive: true });
  await writeFile(join(folder, "migrations/product/0001_broken.sql"), "SELECT no_such_column;");
  await happens(() => output.includes("A migration failed"));
  expect(output).toContain("no_such_column");
  expect(output).toContain("delete .data and start again");
  expect(await text("/api/health/live")).toContain("ok");
});

test("`bun run dev` stops all its parts at SIGTERM, the database last", async () => {
  const port = /Database .*:(\d+)\//.exec(output)?.[1];
  expect(await isServing(Number(port))).toBe(true);
  dev.kill("SIGTERM");
  expect(await dev.exited).toBe(0);
  expect(await isServing(Number(port))).toBe(false);
});

const isServing = (port: number) =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
}

const happens = (condition: () => boolean | Promise<boolean>) =>
  until(async () => ((await condition()) ? true : null));

/** Reads a generated file; returns an empty text while the file is being replaced. */
const generated = (path: string) => readFile(join(folder, path), "utf8").catch(() => "");

const text = async (path: string) => (await fetch(url + path)).text();

/** Replaces text in a file of the copy; returns a function that undoes it. */
async function replace(path: string, from: string | RegExp, to: string): Promise<() => Promise<void>> {
  const file = join(folder, path);
  const before = await readFile(file, "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  await writeFile(file, after);
  return () => writeFile(file, before);
}
