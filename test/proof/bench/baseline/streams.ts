import type { SQL } from "bun";
import pg from "pg";
import type { Claims } from "./tokens.ts";

/** Inserts a notification, and sends the unread count by NOTIFY. */
const PUBLISH = `
  WITH created AS (
    INSERT INTO notifications (user_id, type, data) VALUES ($1, 'TEST', jsonb_build_object('sentAt', $2::text))
    RETURNING id, type, data, read_at, created_at
  ), unread AS (
    SELECT count(*) + 1 AS count FROM notifications WHERE user_id = $1 AND read_at IS NULL AND NOT is_deleted
  )
  SELECT id, type, data, read_at AS "readAt", created_at AS "createdAt",
    pg_notify('baseline', $1 || ' ' || id || ' ' || unread.count) AS sent
  FROM created, unread`;
const UNREAD = `
  SELECT count(*)::int AS count FROM notifications WHERE user_id = $1 AND read_at IS NULL AND NOT is_deleted`;

type Reader = ReadableStreamDefaultController<Uint8Array>;
const encoder = new TextEncoder();
const frame = (event: string, data: string) => `event: ${event}\ndata: ${data}\n\n`;
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/**
 * Writes the same bytes to all streams of a user. The streams have no expiry, no heartbeat and no limit on buffered
 * data.
 */
export async function streams(sql: SQL, url: string) {
  const readers = new Map<string, Set<Reader>>();
  const client = new pg.Client({ connectionString: url });
  client.on("notification", ({ payload = "" }) => {
    const [userId = "", id, count] = payload.split(" ");
    const ofUser = readers.get(userId);
    if (ofUser === undefined) return;
    const frames = frame("notification", `{"id":"${id}"}`) + frame("unread-count", `{"count":${count}}`);
    const bytes = encoder.encode(frames);
    for (const reader of ofUser) reader.enqueue(bytes);
  });
  await client.connect();
  await client.query("LISTEN baseline");

  return {
    open({ sub }: Claims): Response {
      const ofUser = readers.get(sub) ?? new Set();
      readers.set(sub, ofUser);
      let own: Reader;
      const stream = new ReadableStream<Uint8Array>({
        async start(controller) {
          own = controller;
          ofUser.add(controller);
          const [{ count }] = await sql.unsafe(UNREAD, [sub]);
          controller.enqueue(encoder.encode(frame("unread-count", `{"count":${count}}`)));
        },
        cancel: () => void ofUser.delete(own),
      });
      return new Response(stream, { headers: HEADERS });
    },
    async publish({ sub }: Claims): Promise<Response> {
      const [{ sent: _, ...notification }] = await sql.unsafe(PUBLISH, [sub, new Date().toISOString()]);
      return Response.json(notification, { status: 201 });
    },
  };
}
