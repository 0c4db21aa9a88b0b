import { createHash, randomBytes } from "node:crypto";

/*
 * Mocks a range service of breached passwords in development and tests. It listens only on the loopback address.
 */

export type RangeService = {
  /** The value of `BREACHED_PASSWORDS_URL`. */
  url: string;
  /** Listed passwords with their counts. */
  readonly listed: Map<string, number>;
  /** What was asked for: the paths after `/range/`, each with the header `Add-Padding`. */
  readonly asked: { prefix: string; padding: string | null }[];
  /** Answers instead of the service. */
  answer: ((prefix: string) => Response | Promise<Response>) | null;
  stop(): Promise<void>;
};

const PREFIX_DIGITS = 5;
const SUFFIX_BYTES = 18;
const PADDING_ROWS = 20;

const digestOf = (password: string) => createHash("sha1").update(password).digest("hex").toUpperCase();
const padding = () => `${randomBytes(SUFFIX_BYTES).toString("hex").slice(1).toUpperCase()}:0`;

/** Starts the mock. `port` 0 (the default) chooses a free one. */
export function startRangeService({
  listed = new Map<string, number>(),
  port = 0,
}: {
  listed?: Map<string, number>;
  port?: number;
} = {}): RangeService {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      const prefix = new URL(request.url).pathname.replace("/range/", "");
      service.asked.push({ prefix, padding: request.headers.get("add-padding") });
      if (service.answer !== null) return service.answer(prefix);
      const rows = [...listed]
        .map(([password, count]) => `${digestOf(password)}:${count}`)
        .filter((row) => row.startsWith(prefix))
        .map((row) => row.slice(PREFIX_DIGITS));
      return new Response([...rows, ...Array.from({ length: PADDING_ROWS }, padding)].join("\r\n"));
    },
  });
  const service: RangeService = {
    url: `http://127.0.0.1:${server.port}/range/`,
    listed,
    asked: [],
    answer: null,
    stop: () => server.stop(true),
  };
  return service;
}
