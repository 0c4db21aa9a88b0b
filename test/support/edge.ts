import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import workerd from "workerd";
import type { Environment } from "./environment.ts";

/** A running workerd. */
export type EdgeInstance = { url: string; pid: number; log: () => string; stop(): Promise<void> };

/** A text of Cap'n Proto. */
const text = (value: string) => JSON.stringify(value);

/** The configuration of workerd for the bundle, with the environment as bindings; see docs/deploy/edge.capnp. */
export const capnp = (environment: Environment) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .edge),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const edge :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "argon2.wasm", wasm = embed "argon2.wasm"),
  ],
  compatibilityDate = "2026-11-01",
  bindings = [${Object.entries(environment)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`(name = ${text(name)}, text = ${text(value)})`],
    )
    .join(", ")}],
);
`;

/** Starts workerd with the bundle of a folder and waits until it listens. */
export async function startEdgeInstance(bundle: string, environment: Environment): Promise<EdgeInstance> {
  const folder = await mkdtemp(join(tmpdir(), "edge-"));
  for (const file of ["worker.js", "argon2.wasm"]) await cp(join(bundle, file), join(folder, file));
  await Bun.write(join(folder, "config.capnp"), capnp(environment));
  const child = Bun.spawn([workerd, "serve", "--control-fd=1", join(folder, "config.capnp")], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let log = "";
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>();
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      log += decoder.decode(chunk, { stream: true });
      const port = /"event":"listen","socket":"http","port":(\d+)/.exec(log)?.[1];
      if (port !== undefined) resolve(Number(port));
    }
  };
  void collect(child.stdout);
  void collect(child.stderr);
  void child.exited.then((code) => reject(new Error(`workerd ended with ${code}: ${log}`)));
  const port = await listening;
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    log: () => log,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
