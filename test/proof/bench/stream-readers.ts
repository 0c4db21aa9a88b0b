import type { Socket } from "bun";
import { until } from "../../support/cluster.ts";
import { request } from "./load.ts";

/** The maximum number of concurrent connection attempts. More would overflow the listen backlog. */
const AT_ONCE = 100;

export type Readers = {
  /** Records when each notification arrived at which stream, in order of arrival. A user may have several streams. */
  arrivals: { id: string; at: number; reader: number }[];
  close(): Promise<void>;
};

/**
 * Opens a stream over a plain socket for each of these headers, and waits until every stream has received its first
 * event.
 */
export async function openReaders(url: string, headers: Record<string, string>[]): Promise<Readers> {
  const { hostname, port } = new URL(url);
  const arrivals: Readers["arrivals"] = [];
  const sockets: Socket<Reader>[] = [];
  let begun = 0;
  const socket = {
    data(socket: Socket<Reader>, bytes: Buffer) {
      const at = performance.now();
      const reader = socket.data;
      const text = reader.rest + bytes.toString("latin1");
      const end = text.lastIndexOf("\n\n") + 2;
      if (end < 2) {
        reader.rest = text;
        return;
      }
      reader.rest = text.slice(end);
      for (const [, id, count] of text
        .slice(0, end)
        .matchAll(/data: \{(?:"id":"([^"]*)"|"count":(\d+))\}/g)) {
        if (id !== undefined) arrivals.push({ id, at, reader: reader.number });
        if (count === undefined || reader.hasBegun) continue;
        begun += 1;
        reader.hasBegun = true;
      }
    },
    close() {},
    error() {},
  };
  for (let start = 0; start < headers.length; start += AT_ONCE) {
    const some = headers.slice(start, start + AT_ONCE).map(async (own, index) => {
      const data: Reader = { number: start + index, rest: "", hasBegun: false };
      const opened = await Bun.connect<Reader>({ hostname, port: Number(port), data, socket });
      opened.write(request("GET", "/api/notifications/stream", own));
      sockets.push(opened);
    });
    await Promise.all(some);
  }
  await until(() => (begun === headers.length ? true : null), { seconds: 60 });
  return {
    arrivals,
    async close() {
      for (const one of sockets) one.end();
      await Bun.sleep(500);
    },
  };
}

type Reader = { number: number; rest: string; hasBegun: boolean };
