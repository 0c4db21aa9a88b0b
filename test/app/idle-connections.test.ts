import { expect, test } from "bun:test";
import { join } from "node:path";
import { IDLE_SECONDS } from "../../src/app/server.ts";
import { TIMING } from "../../src/features/notifications/timing.ts";
import { until } from "../support/cluster.ts";
import { FORM_TYPE, fields, formBytes } from "../support/forms.ts";
import { OWN_TICKETS } from "../support/helpdesk.ts";
import { Line } from "../support/line.ts";
import { request } from "../support/raw.ts";
import { startService } from "../support/service.ts";

/** Bun's own default would close connections after ten seconds. Bun closes an idle connection up to four seconds sooner. */
const SECONDS = 24;
const t = await startService({}, { idleSeconds: SECONDS });
const hasty = await startService({}, { idleSeconds: 8 });

const LIVE = request("GET /api/health/live");
const json = { "Content-Type": "application/json" };
const post = request("POST /api/auth/login", json, "{}");
const STREAM = "GET /api/notifications/stream";
const bearer = (token: string | null) => ({ Authorization: `Bearer ${token}` });
const statuses = ({ received }: Line) => received.match(/HTTP\/1\.1 (\d+)/g) ?? [];
/** Less than the idle time of the first service, but more than Bun's default and the idle time of the second service. */
const PAUSE_MS = 13_000;

/** Sends a ticket as a form, some bytes at a time. */
async function upload(line: Line, token: string | null, pieces: number, betweenMs: number) {
  const bytes = formBytes(fields({ subject: "Slow", category: "BUG", message: "Slow" }));
  const length = { "Content-Length": String(bytes.length) };
  const headers = { ...bearer(token), "Content-Type": FORM_TYPE["content-type"], ...length };
  line.socket.write(request(`POST ${OWN_TICKETS}`, headers));
  const size = Math.ceil(bytes.length / pieces);
  for (let sent = 0; sent < bytes.length; sent += size) {
    if (sent > 0) await Bun.sleep(betweenMs);
    line.socket.write(bytes.subarray(sent, sent + size));
  }
}

test.concurrent("a connection that was idle for less than the idle time serves a POST, after a request, an upload or a stream", async () => {
  const who = await t.person();
  const afterRequest = new Line(t.url, LIVE);
  const afterUpload = new Line(t.url);
  await upload(afterUpload, who.accessToken, 2, 100);
  const afterStream = new Line(t.url, request(STREAM, bearer(who.accessToken)));
  await until(() => (afterStream.received.includes(": connected") ? true : null));
  t.running.app.streams.stop();
  const lines = [afterRequest, afterUpload, afterStream];
  await until(() => (afterStream.received.endsWith("0\r\n\r\n") ? true : null));
  await until(() => (lines.every(({ status }) => status > 0) ? true : null));
  await Bun.sleep(PAUSE_MS);
  for (const { socket } of lines) socket.write(post);
  await until(() => (lines.every((line) => statuses(line).length === 2) ? true : null));
  expect(lines.map((line) => statuses(line).at(-1))).toEqual(Array(3).fill("HTTP/1.1 400"));
  expect(afterUpload.status).toBe(201);
  for (const line of lines) line.end();
});

test.concurrent("idle connections are closed: unused ones, those with half a head, and those whose response or stream has ended", async () => {
  const who = await hasty.person();
  const stream = new Line(hasty.url, request(STREAM, bearer(who.accessToken)));
  await until(() => (stream.received.includes(": connected") ? true : null));
  hasty.running.app.streams.stop();
  const lines = [
    stream,
    new Line(hasty.url),
    new Line(hasty.url, LIVE.slice(0, 30)),
    new Line(hasty.url, LIVE),
  ];
  await until(() => (lines.every(({ isClosed }) => isClosed) ? true : null));
  expect(lines.map(({ status }) => status)).toEqual([200, 0, 0, 200]);
});

test.concurrent("a body may pause for longer than the idle time", async () => {
  const who = await hasty.person();
  const line = new Line(hasty.url);
  await upload(line, who.accessToken, 2, PAUSE_MS);
  await until(() => (line.status > 0 ? true : null));
  expect(line.status).toBe(201);
});

const text = (path: string) => Bun.file(join(import.meta.dir, "../../docs", path)).text();
const seconds = (found: RegExpExecArray | null) => Number(found?.[1]);
const KEPT_SECONDS = IDLE_SECONDS - 4;

test("the documents for operators name the times of the service, and the proxies of the examples close theirs sooner", async () => {
  expect(KEPT_SECONDS).toBeGreaterThanOrEqual(65);
  const [deploy, nginx, kubernetes] = await Promise.all(
    ["operate/deploy.md", "deploy/nginx.conf", "deploy/kubernetes/service.yaml"].map(text),
  );
  expect(seconds(/Idle connections\*\* are kept for (\d+) seconds/.exec(deploy ?? ""))).toBe(IDLE_SECONDS);
  expect(seconds(/than the service's (\d+) s/.exec(nginx ?? ""))).toBe(IDLE_SECONDS);
  expect(seconds(/than the service's (\d+) s/.exec(kubernetes ?? ""))).toBe(IDLE_SECONDS);
  expect(seconds(/its own to the service sooner \((\d+) seconds/.exec(deploy ?? ""))).toBeLessThan(
    KEPT_SECONDS,
  );
  expect(seconds(/keepalive_timeout (\d+)s/.exec(nginx ?? ""))).toBeLessThan(KEPT_SECONDS);
  expect(seconds(/upstream-keepalive-timeout, (\d+) by default/.exec(kubernetes ?? ""))).toBeLessThan(
    KEPT_SECONDS,
  );
  const heartbeat = TIMING.heartbeatMs / 1_000;
  expect(seconds(/heartbeat is sent every (\d+)/.exec(deploy ?? ""))).toBe(heartbeat);
  expect(seconds(/read timeout of (\d+) seconds/.exec(deploy ?? ""))).toBeGreaterThan(2 * heartbeat);
  const form = t.running.app.bodies.formMilliseconds / 1_000;
  expect(seconds(/Slow uploads take up to (\d+) seconds/.exec(deploy ?? ""))).toBe(form);
  expect(seconds(/proxy_read_timeout (\d+)s/.exec(nginx ?? ""))).toBeGreaterThanOrEqual(form);
});

test("streams send heartbeats well within the idle time", () => {
  expect(TIMING.heartbeatMs).toBeLessThan((KEPT_SECONDS * 1_000) / 2);
});
