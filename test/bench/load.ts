/** One client of a load: says what to send next, and may look at each answer. */
export type Client = {
  next(): string;
  answered?(head: string, body: string): void;
};

export type Load = { requests: number; seconds: number };

/**
 * Keeps every client busy over a kept connection of its own for a while. Plain sockets, because a full HTTP
 * client would use more of the machine than the server that is measured.
 */
export async function runLoad(url: string, clients: Client[], milliseconds: number): Promise<Load> {
  const { hostname, port } = new URL(url);
  const until = performance.now() + milliseconds;
  const started = performance.now();
  const counts = await Promise.all(clients.map((client) => keepBusy(hostname, Number(port), client, until)));
  return {
    requests: counts.reduce((sum, count) => sum + count, 0),
    seconds: (performance.now() - started) / 1000,
  };
}

function keepBusy(hostname: string, port: number, client: Client, until: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  let received = "";
  Bun.connect({
    hostname,
    port,
    socket: {
      open: (socket) => void socket.write(client.next()),
      data(socket, bytes) {
        received += bytes.toString("latin1");
        const head = received.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
        if (received.length < head + 4 + length) return;

        const status = Number(received.slice(9, 12));
        if (status >= 400) {
          reject(new Error(`The server answered ${received.slice(0, 500)}`));
          socket.end();
          return;
        }
        client.answered?.(received.slice(0, head), received.slice(head + 4));
        received = "";
        count += 1;
        if (performance.now() < until) {
          socket.write(client.next());
          return;
        }
        resolve(count);
        socket.end();
      },
      close: () => reject(new Error("The server closed the connection")),
      error: (_socket, error) => reject(error),
    },
  }).catch(reject);
  return promise;
}

/** A request as it goes over the wire. */
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
