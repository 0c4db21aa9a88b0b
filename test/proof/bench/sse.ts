import { type Context, Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { median } from "./stats.ts";

/**
 * `bun run proof bench sse`: compares 1,000 event streams by Hono's `streamSSE` with a plain `ReadableStream`, as
 * in src/features/notifications/streams.ts. Each variant runs in its own process, in turns, with a client in
 * another process. Events are encoded once for all streams; `writeSSE` encodes them for each stream. Prints memory
 * per stream and CPU per event, and the ratios to a plain stream.
 */
const STREAMS = 1_000;
const EVENTS = 50;
const ROUNDS = 3;
const VARIANTS = ["plain", "streamSSE", "writeSSE"] as const;

type Variant = (typeof VARIANTS)[number];
type Send = (count: number, frame: Uint8Array) => void;

const encoder = new TextEncoder();
const settle = () => Bun.sleep(1_500);

/** Serves streams in one variant, and measures its own process. */
async function serve(variant: string) {
  const senders = new Set<Send>();
  const hono = (c: Context, senderTo: (stream: SSEStreamingApi) => Send) =>
    streamSSE(c, async (stream) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const send = senderTo(stream);
      senders.add(send);
      stream.onAbort(() => {
        senders.delete(send);
        resolve();
      });
      await ended;
    });
  const app = new Hono()
    .get("/streamSSE", (c) => hono(c, (stream) => (_, frame) => void stream.write(frame)))
    .get("/writeSSE", (c) =>
      hono(c, (stream) => (count) => {
        void stream.writeSSE({ event: "unread-count", data: JSON.stringify({ count }) });
      }),
    )
    .get(
      "/plain",
      () =>
        new Response(
          new ReadableStream<Uint8Array>(
            {
              start(controller) {
                controller.enqueue(encoder.encode(": connected\n\n"));
                senders.add((_, frame) => controller.enqueue(frame));
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
  const client = Bun.spawn(["bun", import.meta.path, "client", `${server.url.href}${variant}`], {
    stdout: "inherit",
  });
  while (senders.size < STREAMS) await Bun.sleep(50);
  await settle();
  Bun.gc(true);
  const bytes = (process.memoryUsage.rss() - empty) / STREAMS;
  const before = process.cpuUsage();
  for (let sent = 0; sent < EVENTS; sent += 1) {
    const frame = encoder.encode(`event: unread-count\ndata: {"count":${sent}}\n\n`);
    for (const send of senders) send(sent, frame);
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

/** Prints memory per stream and CPU per event, for each variant. */
export async function compare(): Promise<void> {
  const costs: Record<Variant, Cost[]> = { plain: [], streamSSE: [], writeSSE: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const variant of VARIANTS) {
      const child = Bun.spawn(["bun", import.meta.path, "serve", variant], {
        stdout: "pipe",
        env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "2000" },
      });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      costs[variant].push(JSON.parse(lines.at(-1) ?? ""));
    }
  }
  const middle = (variant: Variant, key: keyof Cost) => median(costs[variant].map((cost) => cost[key]));
  for (const key of ["bytes", "microseconds"] as const)
    for (const variant of VARIANTS) {
      const [cost, plain] = [middle(variant, key), middle("plain", key)];
      console.log(`${key}: ${variant} ${cost.toFixed(1)}, ratio ${(cost / plain).toFixed(2)}`);
    }
}

if (import.meta.main) {
  const [role, argument = ""] = process.argv.slice(2);
  await (role === "serve" ? serve(argument) : read(argument));
}
