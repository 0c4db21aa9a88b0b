import { afterAll, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { stripeProvider } from "../../../src/features/billing/provider.ts";
import { openIdProvider } from "../../../src/features/identities/openid.ts";
import { boundedFetch } from "../../../src/platform/http/bounded-fetch.ts";
import { meteredAgent } from "../../../src/platform/http/metered-agent.ts";
import { postToAddress } from "../../../src/platform/http/post-to-address.ts";
import { boundedObject } from "../../../src/platform/storage/bounded-object.ts";
import { s3Storage } from "../../../src/platform/storage/s3.ts";
import { until } from "../../support/cluster.ts";
import { longestTurn, startHostileServers } from "../../support/hostile.ts";

const MB = 1024 * 1024;
const servers = await startHostileServers();
/** The kinds of responses whose beginning is enough for a client, because it needs the status or the bytes as sent. */
const READ_IN_PART: Record<string, string[]> = {
  "the sender of webhooks": ["trailers without end", "a body without end", "a gzip bomb", "a slow body"],
  "the storage, for an object": ["a gzip bomb"],
};
/** Far more than parsing 16 KB takes, far less than parsing all that a server sends in a second. */
const MAX_TURN_MS = 250;

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => "succeeded",
    () => "failed",
  );

const storageAt = (url: string) =>
  s3Storage({
    bucket: "files",
    region: "eu",
    endpoint: url,
    forcePathStyle: true,
    accessKeyId: "key",
    secretAccessKey: "secret",
  });

/** One request of each client to a server. The attempts end by themselves. */
const clients: Record<string, (url: string) => Promise<string>> = {
  "the sender of webhooks": async (url) => {
    const { status, error, body } = await postToAddress({
      url: new URL(url),
      address: "127.0.0.1",
      headers: {},
      body: Buffer.from("{}"),
      connectMs: 30_000,
      totalMs: 2_000,
      maxResponseBytes: 16 * 1024,
      signal: new AbortController().signal,
    });
    expect(body.length).toBeLessThanOrEqual(16 * 1024);
    expect(error).toBe(status === null ? "CONNECTION_FAILED" : null);
    return status === 200 ? "succeeded" : "failed";
  },
  "a sign-in provider": (url) => {
    const config = {
      key: "acme",
      name: "Acme",
      issuer: url,
      clientId: "a",
      clientSecret: "b",
      scopes: "openid",
      provesEmails: false,
    };
    return outcomeOf(openIdProvider(config, "http://localhost/callback", boundedFetch(MB)).begin());
  },
  "the payment provider": (url) => {
    const options = { secretKey: "sk", apiUrl: url, send: boundedFetch(8 * MB), timeoutMs: 2_000 };
    return outcomeOf(stripeProvider(options).listPrices(["price"]));
  },
  "the storage, for an object": (url) =>
    outcomeOf(
      storageAt(url)
        .get("key", 100_000)
        .then((object) => new Response(object).bytes()),
    ),
  "the storage, for a list": (url) => outcomeOf(Array.fromAsync(storageAt(url).list("a"))),
  "the exporter of spans": (url) => {
    const httpAgentOptions = (protocol: string) =>
      meteredAgent(protocol, { maxBytes: 16 * 1024, milliseconds: 2_000 });
    const exporter = new OTLPTraceExporter({ url, httpAgentOptions });
    const { promise, resolve } = Promise.withResolvers<string>();
    exporter.export([], ({ code }) => resolve(code === 0 ? "succeeded" : "failed"));
    return promise;
  },
};

test.each(Object.keys(clients))(
  "%s: every hostile response ends the attempt, and the event loop stays free",
  async (client) => {
    for (const [kind, url] of Object.entries(servers)) {
      // The storage waits for 20 or 60 seconds: see the test of its time limit.
      if (kind === "a slow body" && client.startsWith("the storage")) continue;
      const { result, milliseconds } = await longestTurn(() => clients[client]?.(url) ?? Promise.reject());
      const expected = READ_IN_PART[client]?.includes(kind) ? "succeeded" : "failed";
      // Either the parser ends this one, after the status that counts, or the limit does.
      const isEither = client === "the sender of webhooks" && kind === "an extension without end";
      expect([kind, isEither ? expected : result]).toEqual([kind, expected]);
      expect([kind, milliseconds < MAX_TURN_MS || milliseconds]).toEqual([kind, true]);
    }
  },
);

test("an object of the storage ends at its size, and when the storage sends too slowly", async () => {
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (one) => one.enqueue(new Uint8Array(10)) }, { highWaterMark: 0 });
  const silent = new ReadableStream<Uint8Array>({ start: (one) => one.enqueue(new Uint8Array(10)) });
  expect(await outcomeOf(new Response(boundedObject(endless(), 1_000)).bytes())).toBe("failed");
  expect(await outcomeOf(new Response(boundedObject(silent, 1_000, 50)).bytes())).toBe("failed");
  const whole = new Response("0123456789").body ?? endless();
  expect(await new Response(boundedObject(whole, 10)).text()).toBe("0123456789");
});

/** Responses of servers that keep the connection open although they were asked to close it. */
const ABANDONED: Record<string, { begins: string; abandon: (url: string) => Promise<unknown> }> = {
  "an object of which nothing was read": {
    begins: `HTTP/1.1 200 OK\r\nContent-Length: ${MB}\r\n\r\n${"x".repeat(MB)}`,
    abandon: async (url) => (await storageAt(url).get("key", MB))?.cancel(),
  },
  "an object whose rest the storage does not send": {
    begins: `HTTP/1.1 200 OK\r\nContent-Length: ${MB}\r\n\r\nx`,
    abandon: async (url) => {
      const reader = (await storageAt(url).get("key", MB))?.getReader();
      await reader?.read();
      const rest = reader?.read();
      await Bun.sleep(0);
      await reader?.cancel();
      await rest;
    },
  },
  "a response with an encoding that was not asked for": {
    begins: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
    abandon: (url) => outcomeOf(boundedFetch(MB)(url)),
  },
};

test.each(Object.entries(ABANDONED))("%s: its connection is closed", async (_, { begins, abandon }) => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on("error", () => {}).on("close", () => open.delete(socket)));
    socket.once("data", () => socket.write(begins));
  });
  afterAll(() => server.close());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  await abandon(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  await until(() => open.size === 0 || null, { seconds: 30 });
});
