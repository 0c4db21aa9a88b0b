import type { Socket } from "bun";
import { until } from "../../support/cluster.ts";
import { bearer, type Client, request, runLoad } from "./load.ts";
import type { Database } from "./seed.ts";
import { cpuSeconds, inTurns, kilobytes, median, percentile, printRow, ROUNDS, ratios } from "./stats.ts";
import { startBench, type Target } from "./targets.ts";
import { HELD_NOWHERE } from "./world.ts";

const USERS = 500;
const STREAMS_EACH = 10;
const NOTIFICATIONS = 500;
const PER_SECOND = 100;
const SENDERS = 8;

type Measure = Record<"p50" | "p99" | "lost" | "cpu" | "kilobytes" | "statements", number>;

/**
 * Measures 5,000 open streams on one instance, and 500 notifications that are each created by a request to the same
 * process: the time from the request until each of ten readers has the event, and its cost. Each round restarts the
 * service and the baseline, in turns. Both ends of each stream need a file descriptor.
 */
export async function reportStreams(): Promise<void> {
  const bench = await startBench();
  try {
    const own = await bench.database("service");
    const users = await seedReaders(own, USERS);
    await bench.release("service");
    const copy = await bench.database("baseline", "service");
    const tokens = users.map((sub) => bench.sign({ ...HELD_NOWHERE, sub, sid: crypto.randomUUID() }));
    const run = async (server: "service" | "baseline", url: string) => {
      const target = await bench.start(server, url);
      try {
        return await measure(target, tokens, async () => (await bench.counters(target)).statements);
      } finally {
        await target.stop();
      }
    };
    const { service, baseline } = await inTurns({
      service: () => run("service", own.url),
      baseline: () => run("baseline", copy.url),
    });

    console.log(
      `${USERS * STREAMS_EACH} streams, ${NOTIFICATIONS} notifications at ${PER_SECOND}/s to ${STREAMS_EACH} streams each; medians of ${ROUNDS} rounds\n`,
    );
    const columns = [
      "p50",
      "p99",
      "CPU",
      "KB a stream (baseline)",
      "statements a notification (baseline)",
      "lost",
    ];
    printRow(["of delivery", ...columns], { isHead: true });
    const times = (key: keyof Measure) => median(ratios(service, baseline, (one) => one[key])).toFixed(2);
    const both = (key: keyof Measure) =>
      [service, baseline].map((all) => median(all.map((one) => one[key])).toFixed(1)).join(" (");
    const lost = [...service, ...baseline].reduce((sum, one) => sum + one.lost, 0);
    printRow([
      ...["service against the baseline", times("p50"), times("p99"), times("cpu")],
      ...[`${both("kilobytes")})`, `${both("statements")})`, lost],
    ]);
  } finally {
    await bench.stop();
  }
}

async function measure(
  { url, pid }: Target,
  tokens: string[],
  statements: () => Promise<number>,
): Promise<Measure> {
  const all = tokens.flatMap((token) => Array.from({ length: STREAMS_EACH }, () => bearer(token)));
  // Sends requests to warm up, because the code that the first requests load stays in memory.
  await (await openReaders(url, all.slice(0, 200))).close();
  await publish(url, tokens, SENDERS);
  const before = kilobytes(pid);
  const readers = await openReaders(url, all);
  await Bun.sleep(2_000);
  const after = kilobytes(pid);

  readers.arrivals.length = 0;
  const [cpu, statementsBefore] = [cpuSeconds(pid), await statements()];
  const sent = await publish(url, tokens, NOTIFICATIONS);
  await Bun.sleep(1_000);
  const used = cpuSeconds(pid) - cpu;
  const executed = (await statements()) - statementsBefore;
  await readers.close();

  const times = readers.arrivals.map(({ id, at }) => at - (sent.get(id) ?? Number.NaN));
  const deliveries = NOTIFICATIONS * STREAMS_EACH;
  const delivered = new Set(readers.arrivals.map(({ id, reader }) => `${id} ${reader}`)).size;
  return {
    ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99), lost: deliveries - delivered },
    ...{
      cpu: used / deliveries,
      kilobytes: (after - before) / all.length,
      statements: executed / NOTIFICATIONS,
    },
  };
}

/** Lets users create their own notifications at a steady rate. Returns the time of each request. */
async function publish(url: string, tokens: string[], count: number): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  const started = performance.now();
  const sender = async (first: number) => {
    for (let nth = first; nth < count; nth += SENDERS) {
      await Bun.sleep(Math.max(0, started + (nth * 1_000) / PER_SECOND - performance.now()));
      const token = tokens[(nth * 7) % tokens.length] ?? "";
      let at = Number.NaN;
      const client: Client = {
        next() {
          at = performance.now();
          return request("POST", "/api/notifications/test", bearer(token));
        },
        onResponse: (_head, body) => void sent.set(JSON.parse(body).id, at),
      };
      await runLoad(url, [client], 0);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, first) => sender(first)));
  return sent;
}

/** Creates this number of accounts. Returns their ids. */
async function seedReaders(db: Database, count: number): Promise<string[]> {
  const made = await db.sql<{ id: string }>(
    `INSERT INTO users (email, first_name, last_name, language, email_verified_at)
     SELECT 'reader-' || n || '@example.com', 'Ada', 'Lovelace', 'EN', now() FROM generate_series(1, $1::int) n
     RETURNING id`,
    [count],
  );
  return made.map(({ id }) => id);
}

/** The maximum number of concurrent connection attempts. More would overflow the listen backlog. */
const AT_ONCE = 100;

type Readers = {
  /** Records when each notification arrived at which stream, in order of arrival. A user may have several streams. */
  arrivals: { id: string; at: number; reader: number }[];
  close(): Promise<void>;
};

/**
 * Opens a stream over a plain socket for each of these headers, and waits until every stream has received its first
 * event.
 */
async function openReaders(url: string, headers: Record<string, string>[]): Promise<Readers> {
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
