import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import workerd from "workerd";
import { buildClient } from "../../src/dev/client/build.ts";
import {
  activeCheck,
  claimsFor,
  newSigningKey,
  PRODUCT_KEY,
  startProductServer,
} from "../support/product-server.ts";

/* The built subpath `/server` in Node.js, Bun and workerd. */

const key = await newSigningKey();
const unit = crypto.randomUUID();
const entry = { id: "1", type: "user.deleted", timestamp: "", organizationId: null, object: { id: "u" } };
/** Whether the service leaves requests without an answer. */
let isSilent = false;
const server = startProductServer({
  "GET /.well-known/jwks.json": () => answer({ keys: [key.jwk] }),
  "POST /api/product/check": () =>
    answer(activeCheck({ unitGrants: [{ permissions: ["Inspections.Read"], units: [unit] }] })),
  "POST /api/product/changes": () => answer({ usage: [], eventIds: [], notified: 0 }),
  "GET /api/product/feed": () => answer({ data: [entry], cursor: "1", hasMore: false }),
});
async function answer(body: object): Promise<Response> {
  return isSilent ? new Promise(() => {}) : Response.json(body);
}

/** Uses every method, in a module that all runtimes load. */
const PROGRAM = `
import { createProduct } from "./server.js";
let product;
export async function use(baseUrl, token) {
  product ??= createProduct({ baseUrl, key: "${PRODUCT_KEY}" });
  const [verified, garbage, checked] = await Promise.all([
    product.verify(token),
    product.verify("garbage"),
    product.check({ token }),
  ]);
  const call = { organizationId: "o", actor: null, usage: [{ limit: "inspections", id: "1", amount: 1 }] };
  const { notified } = await product.changes(call, { idempotencyKey: "k" });
  const types = [];
  for await (const { type } of product.feed({ after: "0", save() {} })) {
    types.push(type);
    break;
  }
  const id = await product.id("inspection", 4711);
  return [verified.can("Inspections.Create"), garbage.reason, checked.reach("Inspections.Read"), notified, types, id];
}
export async function identify(baseUrl, token) {
  product ??= createProduct({ baseUrl, key: "${PRODUCT_KEY}" });
  return (await product.verify(token)).active && (await product.check({ token })).active;
}
`;
const WORKER = `
import { identify, use } from "./program.js";
export default {
  async fetch(request, { SERVICE }) {
    const token = request.headers.get("authorization").slice(7);
    const run = request.url.endsWith("/use") ? use : identify;
    return Response.json(await run(SERVICE, token));
  },
};
`;
const MODULES = ["worker.js", "program.js", "server.js"];
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [MODULES],
  compatibilityDate = "2024-10-14",
  bindings = [(name = "SERVICE", fromEnvironment = "SERVICE")],
);
`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "product-"));
  await buildClient(folder);
  await Bun.write(join(folder, "program.js"), PROGRAM);
  await Bun.write(join(folder, "worker.js"), WORKER);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const tokenWith = (others: object = {}) =>
  key.sign(claimsFor(server.url, Date.now() + 900_000, { permissions: ["Inspections.Create"], ...others }));
const expected = [true, "INVALID", [unit], 0, ["user.deleted"], "64ac9270-bfd3-5652-938e-c99e5068badc"];

for (const [name, runtime] of [
  ["Node.js", Bun.which("node")],
  ["Bun", process.execPath],
] as const)
  test(`the subpath works in ${name}, and a process that has ended its work exits`, async () => {
    if (runtime === null) throw new Error(`${name} is not installed`);
    const run = `
      import { use } from "./program.js";
      console.log(JSON.stringify(await use(...${JSON.stringify([server.url, tokenWith()])})));`;
    await Bun.write(join(folder, "run.js"), run);
    const child = Bun.spawn([runtime, "run.js"], { cwd: folder, stdout: "pipe", stderr: "inherit" });
    const output = await new Response(child.stdout).text();
    expect([JSON.parse(output), await child.exited]).toEqual([expected, 0]);
  });

test("the subpath works in workerd, also for requests that share a call whose own request ends before it", async () => {
  const files = [...MODULES, ...new Bun.Glob("chunk-*.js").scanSync(folder)];
  const modules = files.map((file) => `(name = "${file}", esModule = embed "${file}")`).join(", ");
  await Bun.write(join(folder, "config.capnp"), CONFIG.replace("MODULES", modules));
  const child = Bun.spawn([workerd, "serve", "--control-fd=1", join(folder, "config.capnp")], {
    env: { SERVICE: server.url },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const { value } = await child.stdout.getReader().read();
    const port = /"port":(\d+)/.exec(new TextDecoder().decode(value))?.[1];
    const get = async (path: string, token: string, signal: AbortSignal | null = null) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal });
      return response.json();
    };
    // The first request loads the keys, then a check. Its client leaves while the second request waits for the call.
    for (const path of ["/.well-known/jwks.json", "/api/product/check"]) {
      server.requests.length = 0;
      const gone = new AbortController();
      const token = tokenWith();
      isSilent = true;
      const first = get("/identify", token, gone.signal).catch(() => "gone");
      while (server.to(path).length === 0) await Bun.sleep(5);
      isSilent = false;
      const second = get("/identify", token);
      await Bun.sleep(50);
      gone.abort();
      expect([path, await first, await second]).toEqual([path, "gone", true]);
    }
    expect(await get("/use", tokenWith())).toEqual(expected);
  } finally {
    child.kill();
    await child.exited;
  }
});
