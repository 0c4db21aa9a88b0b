import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import workerd from "workerd";
import type { Environment } from "./environment.ts";

/** A running workerd. */
export type EdgeInstance = { url: string; pid: number; log: () => string; stop(): Promise<void> };

const EXAMPLE = join(import.meta.dir, "../../docs/deploy/edge.capnp");

/**
 * Starts workerd with the bundle in a folder, and waits until it listens.
 * @param reachesInside whether identity providers of organizations may be on this machine
 */
export async function startEdgeInstance(
  bundle: string,
  environment: Environment,
  { reachesInside = false } = {},
): Promise<EdgeInstance> {
  const folder = await mkdtemp(join(tmpdir(), "edge-"));
  for (const file of ["worker.js", "mcp-sdk.js", "argon2.wasm"])
    await cp(join(bundle, file), join(folder, file));
  // The configuration of docs/deploy with another path of the bundle.
  const example = await Bun.file(EXAMPLE).text();
  const config = reachesInside
    ? example.replace('allow = ["public"]', 'allow = ["public", "private"]')
    : example;
  await Bun.write(join(folder, "config.capnp"), config.replaceAll("../../dist/edge/", ""));
  const options = ["--control-fd=1", "--socket-addr=http=127.0.0.1:0"];
  const child = Bun.spawn([workerd, "serve", ...options, join(folder, "config.capnp")], {
    env: { PATH: process.env.PATH, ...environment },
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
