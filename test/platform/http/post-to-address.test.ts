import { afterAll, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { postToAddress } from "../../../src/platform/http/post-to-address.ts";

const file = (name: string) => Bun.file(join(import.meta.dir, "../../support/tls", name)).text();
const [key, cert] = await Promise.all([file("key.pem"), file("certificate.pem")]);

/** A receiver with a certificate for `localhost`, which no public authority signed. */
const secure = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  tls: { key, cert },
  fetch: () => new Response("ok"),
});
const KB = 1024;
const large = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => {
    if (url.endsWith("/endless"))
      return new Response(new ReadableStream({ pull: (one) => one.enqueue(new Uint8Array(KB).fill(97)) }));
    if (url.endsWith("/zipped"))
      return new Response(Bun.gzipSync(new Uint8Array(KB * KB)), { headers: { "content-encoding": "gzip" } });
    return new Response("x", { headers: { "x-long": "a".repeat(20 * KB) } });
  },
});
const sockets = new Set<Socket>();
/** A receiver that accepts connections and never responds, or begins a response and does not end it. */
const silent = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("data", (data) => {
    if (data.toString().startsWith("POST /begins"))
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegin");
  });
});
await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
const silentPort = (silent.address() as { port: number }).port;

afterAll(async () => {
  await Promise.all([secure.stop(true), large.stop(true)]);
  for (const socket of sockets) socket.destroy();
  silent.close();
});

const post = (url: string, ca?: string, totalMs = 20_000) =>
  postToAddress({
    url: new URL(url),
    address: "127.0.0.1",
    headers: {},
    body: Buffer.from("{}"),
    connectMs: totalMs,
    totalMs,
    maxResponseBytes: 16 * KB,
    signal: new AbortController().signal,
    ca,
  });

test("TLS is verified for the name in the URL: another name and an unknown authority are TLS_FAILED", async () => {
  expect(await post(`https://localhost:${secure.port}/`, cert)).toMatchObject({ status: 200, error: null });
  for (const [name, ca] of [
    ["example.com", cert],
    ["localhost", undefined],
  ] as const)
    expect([name, await post(`https://${name}:${secure.port}/`, ca)]).toMatchObject([
      name,
      { status: null, error: "TLS_FAILED" },
    ]);
  expect(await post(`https://localhost:${silentPort}/`, cert, 300)).toMatchObject({ error: "TIMEOUT" });
});

test("a receiver that does not respond is TIMEOUT; a response that does not end counts by its status", async () => {
  expect(await post(`http://a.example.com:${silentPort}/`, undefined, 300)).toMatchObject({
    status: null,
    error: "TIMEOUT",
  });
  const begun = await post(`http://a.example.com:${silentPort}/begins`, undefined, 300);
  expect([begun.status, begun.error, begun.body.toString()]).toEqual([200, null, "begin"]);
});

test("at most 16 KB of a response are read, and nothing is decompressed", async () => {
  const endless = await post(`http://a.example.com:${large.port}/endless`);
  expect([endless.status, endless.body.length]).toEqual([200, 16 * KB]);
  const zipped = await post(`http://a.example.com:${large.port}/zipped`);
  expect([zipped.status, zipped.body.subarray(0, 2).toString("hex")]).toEqual([200, "1f8b"]);
  expect(zipped.body.length).toBeLessThanOrEqual(16 * KB);
  expect(await post(`http://a.example.com:${large.port}/headers`)).toMatchObject({
    status: null,
    error: "CONNECTION_FAILED",
  });
});
