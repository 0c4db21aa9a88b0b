import { expect, test } from "bun:test";
import { connect } from "node:net";
import { startService } from "../../support/service.ts";

const t = await startService();
const MEGABYTE = 1024 * 1024;
const SENT_MEGABYTES = 200;
/** The maximum memory growth: far less than the body that is sent, far more than a request needs. */
const MAX_GROWTH_MEGABYTES = 80;

async function residentMegabytes(pid: number): Promise<number> {
  const text = await new Response(Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)]).stdout).text();
  return Number(text) / 1024;
}

/** Sends a body of `SENT_MEGABYTES`, whether or not there is a response; returns the peak memory in megabytes. */
async function flood(url: string, pid: number, line: string, chunked: boolean): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const framing = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${SENT_MEGABYTES * MEGABYTE}`;
  const block = Buffer.alloc(MEGABYTE, " ");
  const bytes = chunked ? Buffer.concat([Buffer.from("100000\r\n"), block, Buffer.from("\r\n")]) : block;
  let isOpen = true;
  let wake = () => {};
  socket.on("data", () => {});
  socket.on("drain", () => wake());
  for (const event of ["error", "close"]) {
    socket.on(event, () => {
      isOpen = false;
      wake();
    });
  }
  socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`);
  let peak = 0;
  for (let sent = 0; sent < SENT_MEGABYTES && isOpen; sent += 1) {
    const { promise: drained, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    if (!socket.write(bytes)) await drained;
    if (sent % 50 === 49) peak = Math.max(peak, await residentMegabytes(pid));
  }
  socket.destroy();
  return peak;
}

test("an endless body does not increase the memory of the service, on any route", async () => {
  const [instance] = await t.cluster(1);
  if (instance === undefined) throw new Error("No instance");
  const { url, pid } = instance;
  const before = await residentMegabytes(pid);
  for (const line of ["POST /api/auth/login", "POST /api/nowhere", "GET /api/health/live"]) {
    for (const chunked of [false, true]) {
      expect((await flood(url, pid, line, chunked)) - before).toBeLessThan(MAX_GROWTH_MEGABYTES);
    }
  }
  expect((await fetch(`${url}/api/health/live`)).status).toBe(200);
});
