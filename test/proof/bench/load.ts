import { percentile } from "./stats.ts";

/** One client of a load test: returns the next request, or null to stop, and may inspect each response. */
export type Client = {
  next(): string | null;
  onResponse?(head: string, body: string): void;
};

export type Load = { requests: number; seconds: number; p50: number; p99: number };

/**
 * Keeps every client busy over its own keep-alive connection for a while. Uses plain sockets, because a full HTTP
 * client would use more CPU than the server that is measured. Times are in milliseconds.
 */
export async function runLoad(url: string, clients: Client[], milliseconds: number): Promise<Load> {
  const { hostname, port } = new URL(url);
  const times: number[] = [];
  const started = performance.now();
  const until = started + milliseconds;
  await Promise.all(
    clients.map((client) => keepBusy({ hostname, port: Number(port) }, client, until, times)),
  );
  const seconds = (performance.now() - started) / 1000;
  return { requests: times.length, seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** Sends one request over a new connection. @throws if it fails */
export async function fetchOnce(url: string, text: string): Promise<{ head: string; body: string }> {
  const { promise, resolve } = Promise.withResolvers<{ head: string; body: string }>();
  const onResponse = (head: string, body: string) => resolve({ head, body });
  await runLoad(url, [{ next: () => text, onResponse }], 0);
  return promise;
}

const END_OF_HEAD = "\r\n\r\n";

function keepBusy(
  address: { hostname: string; port: number },
  client: Client,
  until: number,
  times: number[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  let sentAt = 0;
  const send = (socket: { write(text: string): unknown; end(): unknown }, isFirst: boolean) => {
    const text = isFirst || performance.now() < until ? client.next() : null;
    if (text === null) {
      resolve();
      socket.end();
      return;
    }
    sentAt = performance.now();
    socket.write(text);
  };
  Bun.connect({
    ...address,
    socket: {
      open: (socket) => send(socket, true),
      data(socket, bytes) {
        received = received.length === 0 ? Buffer.from(bytes) : Buffer.concat([received, bytes]);
        const end = received.indexOf(END_OF_HEAD);
        if (end < 0) return;
        const head = received.toString("latin1", 0, end);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const start = end + END_OF_HEAD.length;
        if (received.length < start + length) return;

        times.push(performance.now() - sentAt);
        if (Number(head.slice(9, 12)) >= 400) {
          reject(new Error(`The server returned ${received.toString("utf8", 0, 1_000)}`));
          socket.end();
          return;
        }
        client.onResponse?.(head, received.toString("utf8", start));
        received = Buffer.alloc(0);
        send(socket, false);
      },
      close: () => reject(new Error("The server closed the connection")),
      error: (_socket, error) => reject(error),
    },
  }).catch(reject);
  return promise;
}

/** Builds the text of an HTTP request. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const all = {
    host: "localhost",
    ...headers,
    ...(method === "GET" ? {} : { "content-length": String(Buffer.byteLength(text)) }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** Returns the `Authorization` header for this access token. */
export const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` });
