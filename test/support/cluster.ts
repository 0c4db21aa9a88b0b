import { join } from "node:path";

const SERVER = join(import.meta.dir, "instance.ts");

/** A separate API process. */
export type Instance = {
  url: string;
  pid: number;
  /** The log lines so far. */
  log: () => string[];
  stop(): Promise<void>;
  /** Sends SIGKILL, which simulates a crash: requests and jobs are not finished. */
  kill(): Promise<void>;
};

/** Starts `count` API processes that are configured by the environment only, and waits until they are ready. */
export function spawnInstances(
  count: number,
  environment: Record<string, string | undefined>,
): Promise<Instance[]> {
  return Promise.all(Array.from({ length: count }, () => spawnInstance(environment)));
}

async function spawnInstance(environment: Record<string, string | undefined>): Promise<Instance> {
  const child = Bun.spawn(["bun", SERVER], {
    env: { PATH: process.env.PATH, ...environment, PORT: "0", LOG_LEVEL: "info", TEST_READINESS_MS: "0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines: string[] = [];
  void collect(child.stdout, lines);
  void collect(child.stderr, lines);

  const url = await until(() => {
    if (child.exitCode !== null) throw new Error(`The instance ended: ${lines.join("\n")}`);
    const line = lines.find((line) => line.includes('"listening"'));
    return line === undefined ? null : (JSON.parse(line).url as string).replace(/\/$/, "");
  }, START_TIMEOUT);
  await untilReady(url);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await child.exited;
  };
  return { url, pid: child.pid, log: () => lines, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

async function collect(stream: ReadableStream<Uint8Array>, lines: string[]) {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  }
}

/** A generous limit for busy machines; not a promise of the service. */
export const START_TIMEOUT = { seconds: 300 };

/** Waits until a started API is ready. */
export const untilReady = (url: string) =>
  until(async () => {
    const response = await fetch(`${url}/api/health/ready`).catch(() => null);
    return response?.status === 200 ? true : null;
  }, START_TIMEOUT);

/** Polls until `ask` returns a value other than null. Use it for asynchronous effects that cannot be awaited. */
export async function until<T>(ask: () => T | null | Promise<T | null>, { seconds = 300 } = {}): Promise<T> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const response = await ask();
    if (response !== null) return response;
    await Bun.sleep(20);
  }
  throw new Error(`Nothing happened within ${seconds} s`);
}
