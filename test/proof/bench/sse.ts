import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { median } from "./stats.ts";

/**
 * `bun run proof bench sse`: 1,000 event streams by Hono's `streamSSE` and by a plain `ReadableStream`, as in
 * src/features/notifications/streams.ts; each variant in its own process, in turns, with a client in
 * another process. Prints memory per stream and CPU per event, and their ratios.
 */
const STREAMS = 1_000;
const EVENTS = 50;
const ROUNDS = 3;

const encoder = new TextEncoder();
const settle = () => Bun.sleep(1_500);

/** Serves streams in one variant and measures itself. */
async function serve(way: string) {
  const senders = new Set<(event: string, data: string) => void>();
  const app = new Hono()
    .get("/hono", (c) =>
      streamSSE(c, async (stream) => {
        const { promise: ended, resolve } = Promise.withResolvers<void>();
        const send = (event: string, data: string) => void stream.writeSSE({ event, data });
        senders.add(send);
        stream.onAbort(() => {
          senders.delete(send);
          resolve();
        });
        await ended;
      }),
    )
    .get(
      "/own",
      () =>
        new Response(
          new ReadableStream<Uint8Array>(
            {
              start(controller) {
                controller.enqueue(encoder.encode(": connected\n\n"));
                senders.add((event, data) =>
                  controller.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`)),
                );
              },
            },
            { highWaterMark: 200 },
          ),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
  const server = Bun.serve({ port: 0, idleTimeout: 0, fetch: app.fetch });
  Bun.gc(true);
  const empty = process.memoryUsage.rss();
  const client = Bun.spawn(["bun", import.meta.path, "client", `${server.url.href}${way}`], {
    stdout: "inherit",
  });
  while (senders.size < STREAMS) await Bun.sleep(50);
  await settle();
  Bun.gc(true);
  const bytes = (process.memoryUsage.rss() - empty) / STREAMS;
  const before = process.cpuUsage();
  for (let sent = 0; sent < EVENTS; sent += 1) {
    for (const send of senders) send("unread-count", JSON.stringify({ count: sent }));
    await Bun.sleep(20);
  }
  await settle();
  const { user, system } = process.cpuUsage(before);
  client.kill();
  console.log(JSON.stringify({ bytes, microseconds: (user + system) / (STREAMS * EVENTS) }));
  process.exit(0);
}

/** Opens the streams and reads them. */
async function read(url: string) {
  const open = async () => {
    const { body } = await fetch(url);
    for await (const _ of body ?? []);
  };
  await Promise.all(Array.from({ length: STREAMS }, open));
}

type Cost = { bytes: number; microseconds: number };

/** Prints memory per stream and CPU per event, for both variants. */
export async function compare(): Promise<void> {
  const costs: Record<string, Cost[]> = { hono: [], own: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ["hono", "own"]) {
      const child = Bun.spawn(["bun", import.meta.path, "serve", way], {
        stdout: "pipe",
        env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "2000" },
      });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      costs[way]?.push(JSON.parse(lines.at(-1) ?? ""));
    }
  }
  const of = (way: string, key: keyof Cost) => median((costs[way] ?? []).map((cost) => cost[key]));
  for (const key of ["bytes", "microseconds"] as const) {
    const [hono, own] = [of("hono", key), of("own", key)];
    console.log(
      `${key}: streamSSE ${hono.toFixed(1)}, own ${own.toFixed(1)}, ratio ${(hono / own).toFixed(2)}`,
    );
  }
}

if (import.meta.main) {
  const [role, argument = ""] = process.argv.slice(2);
  await (role === "serve" ? serve(argument) : read(argument));
}
