import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/cluster.ts";

const ROOT = join(import.meta.dir, "../..");
const MANIFEST = join(ROOT, "examples/inspections/product.json");
type Output = { out: string; err: string };
type Started = {
  url: string;
  key: string;
  accounts: { email: string; password: string }[];
  output: Output;
};

const folder = await mkdtemp(join(tmpdir(), "dev-product-"));
const pages = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => new Response(new URL(url).pathname),
});
const running: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const dev of running) dev.kill("SIGTERM");
  await Promise.all(running.map((dev) => dev.exited));
  await pages.stop(true);
  await rm(folder, { recursive: true, force: true });
});

/** Writes the manifest of the tests with another url; returns the path of the file. */
async function manifestAt(url: string): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await Bun.write(file, JSON.stringify({ ...(await Bun.file(MANIFEST).json()), url }));
  return file;
}

/** Starts `bun run dev` for the product of the tests, and returns the line of JSON that it prints. */
async function startDev(name: string, ...more: string[]): Promise<Started> {
  const given = ["--product", MANIFEST, "--data", join(folder, name), ...more];
  const dev = Bun.spawn(["bun", join(ROOT, "src/dev.ts"), ...given], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  running.push(dev);
  const output: Output = { out: "", err: "" };
  const collect = async (kind: keyof Output, stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output[kind] += new TextDecoder().decode(chunk);
  };
  void collect("out", dev.stdout);
  void collect("err", dev.stderr);
  return until(() => {
    if (dev.exitCode !== null) throw new Error(output.out + output.err);
    const line = output.out.split("\n").find((one) => one.startsWith("{") && one.endsWith("}"));
    return line === undefined ? null : { ...JSON.parse(line), output };
  });
}

test("two services for a product run beside each other, each with its own data, key set, and pages on its origin; a product that does not run is 502", async () => {
  const at = `http://127.0.0.1:${pages.port}`;
  const both = await Promise.all([
    startDev("one", "--no-console", "--port", "4710", "--product-at", at),
    startDev("two", "--no-console", "--port", "4760"),
  ]);
  expect(new Set(both.map(({ url }) => url)).size).toBe(2);
  const ids = [];
  for (const { url, key, accounts } of both) {
    const post = async (path: string, body: object, headers = {}) => {
      const sent = { method: "POST", headers: { "content-type": "application/json", ...headers } };
      return (await fetch(url + path, { ...sent, body: JSON.stringify(body) })).json();
    };
    const account = accounts.find(({ email }) => email.startsWith("ada@"));
    const { accessToken: token } = (await post("/api/auth/login", account ?? {})) as { accessToken: string };
    const answer = (await post("/api/product/check", { token }, { authorization: `Bearer ${key}` })) as never;
    expect(answer).toMatchObject({
      active: true,
      permissions: expect.arrayContaining(["Inspections.Delete"]),
    });
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    ids.push(keys[0]?.kid);
  }
  expect(new Set(ids).size).toBe(2);
  const [first, second] = both;
  const { url } = first;
  expect(second.output.out).toContain("/inspections (not forwarded: give --product-at URL)");
  expect(await (await fetch(`${url}/inspections/4711`)).text()).toBe("/inspections/4711");
  for (const path of ["/inspectionsx", "/"]) expect((await fetch(url + path)).status).toBe(404);
  expect((await fetch(`${second.url}/inspections`)).status).toBe(404);
  await pages.stop(true);
  await saysThatItIsAway(at, first);
});

test("with the console, too, a product that does not run is 502 with a text, and a line in the terminal", async () => {
  // Nothing listens there.
  const at = "http://127.0.0.1:1";
  await saysThatItIsAway(at, await startDev("with the console", "--port", "4860", "--product-at", at));
});

async function saysThatItIsAway(at: string, { url, output }: Started) {
  const response = await fetch(`${url}/inspections/`);
  expect([response.status, await response.text()]).toEqual([502, expect.stringContaining(at)]);
  await until(() => output.err.includes(`The product does not respond at ${at}`) || null);
}

test.each(["https://app.example.com", "https://app.example.com/api"])(
  "a product is not forwarded if its url, %s, has a path of the service",
  async (of) => {
    const given = ["--product", await manifestAt(of), "--product-at", "http://localhost:5173"];
    const dev = Bun.spawn(["bun", join(ROOT, "src/dev.ts"), ...given], { stdout: "pipe", stderr: "pipe" });
    const [text, code] = [await new Response(dev.stderr).text(), await dev.exited];
    expect([code, text]).toEqual([
      1,
      expect.stringContaining("in development the service has the rest of the origin"),
    ]);
  },
);

test.each([
  [["--product"]],
  [["--product-at", "http://localhost:5173"]],
  [["--port", "0"]],
  [["--product", "/does/not/exist.json"]],
  [["--colour"]],
])("`bun run dev %p` says what is wrong and starts nothing", async (given) => {
  const dev = Bun.spawn(["bun", join(ROOT, "src/dev.ts"), ...given], { stdout: "pipe", stderr: "pipe" });
  const [text, code] = [await new Response(dev.stderr).text(), await dev.exited];
  expect([code, /Usage: bun run dev|cannot be read/.test(text)]).toEqual([1, true]);
});
