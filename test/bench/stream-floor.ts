import { SQL } from "bun";
import pg from "pg";
import * as notifications from "#sql/notifications";

/**
 * The floor of the stream: LISTEN, and a fan-out to whoever has a stream open. No tokens, no slots, no heartbeat, no
 * end, no limit on what waits. With `COUNTS=yes` it also counts, once for every notification, with the service's SQL.
 */
const url = process.env.DATABASE_URL ?? "";
const counts = process.env.COUNTS === "yes";
const sql = new SQL({ url, max: 10 });
const readers = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>();
const encoder = new TextEncoder();
const frame = (event: string, data: unknown) =>
  encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
const FIRST = frame("unread-count", { count: 0 });

function tell(userId: string, bytes: Uint8Array) {
  for (const reader of readers.get(userId) ?? []) reader.enqueue(bytes);
}

const client = new pg.Client({ connectionString: url });
client.on("notification", async ({ payload = "" }) => {
  const [userId = "", id] = payload.split(" ");
  if (!readers.has(userId)) return;
  tell(userId, frame("notification", { id }));
  if (!counts) return;
  const [row] = await sql.unsafe(notifications.countUnreadNotifications.text, [userId]);
  tell(userId, frame("unread-count", { count: row["count!"] }));
});
await client.connect();
await client.query("LISTEN notifications");

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch(request) {
    const userId = request.headers.get("x-user") ?? "";
    const ofUser = readers.get(userId) ?? new Set();
    readers.set(userId, ofUser);
    let own: ReadableStreamDefaultController<Uint8Array>;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        ofUser.add(controller);
        controller.enqueue(FIRST);
      },
      cancel: () => void ofUser.delete(own),
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  },
});
console.log(JSON.stringify({ url: server.url.href }));
