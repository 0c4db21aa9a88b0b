import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Router } from "../../src/core/api/router.ts";
import { until } from "../support/cluster.ts";
import { FORM_TYPE, fields, formBytes, MB } from "../support/forms.ts";
import { OWN_TICKETS } from "../support/helpdesk.ts";
import { Line } from "../support/line.ts";
import { startServiceWithPayments, WEBHOOK } from "../support/payments.ts";
import { PAYMENT } from "../support/plans.ts";
import { megabytesOf } from "../support/processes.ts";
import { request, sendRaw } from "../support/raw.ts";
import { serveRoutes } from "../support/routes.ts";

const selling = await startServiceWithPayments({ THROTTLE_LIMIT: "100000" });
const { t } = selling;

const JSON_TYPE = { "Content-Type": "application/json" };
const SIGNED = { "Stripe-Signature": "t=1,v1=00" };

test("a JSON or webhook body that takes over ten seconds is 408, and its connection closes", async () => {
  const chunked = { "Transfer-Encoding": "chunked" };
  const slow = [
    new Line(t.url, request("POST /api/auth/login", { ...JSON_TYPE, "Content-Length": "500" })),
    new Line(t.url, request("POST /api/auth/login", { ...JSON_TYPE, "Content-Length": "90000" })),
    new Line(t.url, request("POST /api/auth/login", { ...JSON_TYPE, ...chunked })),
    new Line(t.url, request(`POST ${WEBHOOK}`, { ...SIGNED, "Content-Length": "90000" })),
    new Line(t.url, request(`POST ${WEBHOOK}`, { ...SIGNED, ...chunked })),
  ];
  const silent = new Line(t.url, request("POST /api/auth/login", { ...JSON_TYPE, "Content-Length": "500" }));
  const start = performance.now();
  const trickle = setInterval(() => {
    for (const [index, { socket }] of slow.entries())
      socket.write(index === 2 || index === 4 ? "1\r\n \r\n" : " ");
  }, 500);
  try {
    await until(() => ([...slow, silent].some(({ status }) => status !== 0) ? true : null));
    expect(performance.now() - start).toBeGreaterThan(9_900);
    await until(() => ([...slow, silent].every(({ isClosed }) => isClosed) ? true : null));
  } finally {
    clearInterval(trickle);
    for (const line of [...slow, silent]) line.end();
  }
  expect(performance.now() - start).toBeLessThan(20_000);
  for (const { received } of [...slow, silent]) {
    expect(received).toStartWith("HTTP/1.1 408 ");
    expect(received).toContain('"code":"REQUEST_TIMEOUT"');
  }
});

test("a form that takes longer than its own time limit is 408, and its connection closes", async () => {
  const { app } = t.running;
  const who = await t.person();
  expect(app.bodies.formMilliseconds).toBe(300_000);
  const url = serveRoutes(
    { ...t.running, app: { ...app, bodies: { ...app.bodies, formMilliseconds: 1000 } } },
    new Router(),
  );
  const headers = { Authorization: `Bearer ${who.accessToken}`, "Content-Type": FORM_TYPE["content-type"] };
  const line = new Line(url, request(`POST ${OWN_TICKETS}`, { ...headers, "Content-Length": "90000" }));
  const bytes = formBytes(fields({ subject: "x".repeat(1000) }));
  let sent = 0;
  const trickle = setInterval(() => line.socket.write(bytes.subarray(sent, ++sent)), 50);
  await until(() => (line.isClosed ? true : null)).finally(() => clearInterval(trickle));
  expect(line.received).toStartWith("HTTP/1.1 408 ");
  expect(line.received).toContain('"code":"REQUEST_TIMEOUT"');
});

test("a payment webhook without a signature is refused before its body is read", async () => {
  for (const headers of [{ "Content-Length": "1000000" }, { "Transfer-Encoding": "chunked" }]) {
    const [response] = await sendRaw(t.url, request(`POST ${WEBHOOK}`, headers));
    expect([response?.status, JSON.parse(response?.body ?? "").code]).toEqual([400, "INVALID_SIGNATURE"]);
  }
});

/** Opens connections with requests whose bodies lack their last byte. */
const park = (url: string, count: number, head: string, bytes: number) => {
  const body = new Uint8Array(bytes - 1).fill(32);
  return Array.from({ length: count }, () => new Line(url, head, body));
};

const COUNT = 100;

test("pending webhook bodies use at most 32 MB, and do not block sign-ins", async () => {
  const [instance] = await t.cluster(1);
  const { url, pid } = instance ?? { url: "", pid: 0 };
  const who = await t.person();
  expect((await who.at(url).login()).status).toBe(200);
  const before = megabytesOf(pid);
  const head = request(`POST ${WEBHOOK}`, { ...SIGNED, "Content-Length": String(MB) });
  const lines = park(url, COUNT, head, MB);
  try {
    const refused = () => lines.filter(({ status }) => status === 503);
    await until(() => (refused().length >= COUNT - 32 ? true : null));
    expect(refused()).toHaveLength(COUNT - 32);
    for (const { received } of refused()) expect(received.toLowerCase()).toContain("\r\nretry-after: ");
    expect((await who.at(url).login()).status).toBe(200);
    // Memory grows by less than 0.7 MB per 1 MB body, once refused bodies have been garbage collected.
    await until(async () => ((megabytesOf(pid) - before) / COUNT < 0.7 ? true : null));
  } finally {
    for (const line of lines) line.end();
  }
  // The memory reserved for closed connections was released.
  const { body, signature } = signed();
  const response = await until(async () => {
    const response = await t
      .anonymous(url)
      .post(WEBHOOK, undefined, { raw: body, headers: { "stripe-signature": signature } });
    return response.status === 503 ? null : response;
  });
  expect(response.status).toBe(200);
});

function signed() {
  const body = JSON.stringify({ id: "evt_x", type: "nothing.known" });
  const at = Math.floor(Date.now() / 1000);
  const digest = createHmac("sha256", PAYMENT.PAYMENT_WEBHOOK_SECRET).update(`${at}.${body}`).digest("hex");
  return { body, signature: `t=${at},v1=${digest}` };
}

const LARGE = { ...JSON_TYPE, "Content-Length": "102400" };
const from = (address: string) => ({ "X-Forwarded-For": address });
/** The first 4 KB of a chunked body that is never completed. */
const smallPiece = `fff\r\n${" ".repeat(4095)}\r\n`;

test("pending JSON bodies of one address use at most 4 MB, and do not block bodies of other addresses", async () => {
  const [instance] = await t.cluster(1, { TRUST_PROXY: "1" });
  const { url } = instance ?? { url: "" };
  const who = await t.person();
  const loginFrom = (address: string, size = 0) => {
    const { email, password } = who.account;
    const raw = JSON.stringify({ email, password }).padEnd(size, " ");
    return t.anonymous(url).post("/api/auth/login", undefined, {
      raw,
      headers: { ...from(address), "content-type": "application/json" },
    });
  };
  const attacker = { ...LARGE, ...from("2001:db8:0:1::1") };
  const lines = [
    // These requests declare more bytes than the limit and send none.
    ...Array.from({ length: 700 }, () => new Line(url, request("POST /api/auth/login", attacker))),
    ...Array.from(
      { length: 160 },
      () => new Line(url, request("POST /api/auth/login", { ...attacker, "Content-Length": "4096" })),
    ),
  ];
  await Bun.sleep(500);
  expect((await loginFrom("2001:db8:0:1::2", 100_000)).status).toBe(200);
  const stalled = park(url, 100, request("POST /api/auth/login", attacker), 102_400);
  lines.push(...stalled);
  try {
    const refused = () => stalled.filter(({ status }) => status === 429);
    await until(() => (refused().length >= 60 ? true : null));
    expect(refused()).toHaveLength(60);
    for (const { received } of refused()) expect(received.toLowerCase()).toContain("\r\nretry-after: 1\r\n");
    // From the same /64 network, a large body is refused and a small one is accepted.
    expect((await loginFrom("2001:db8:0:1::2", 100_000)).status).toBe(429);
    expect((await loginFrom("2001:db8:0:1::2")).status).toBe(200);
    expect((await loginFrom("2001:db8:0:2::1", 100_000)).status).toBe(200);
  } finally {
    for (const line of lines) line.end();
  }
  await until(async () => ((await loginFrom("2001:db8:0:1::2", 100_000)).status === 200 ? true : null));
});

test("small JSON bodies have a separate limit of 8 MB", async () => {
  const [instance] = await t.cluster(1, { TRUST_PROXY: "1" });
  const { url } = instance ?? { url: "" };
  const who = await t.person();
  const address = (index: number) => from(`192.0.2.${index >> 10}`);
  const chunked = (headers: Record<string, string>) =>
    new Line(
      url,
      request("POST /api/auth/login", { ...JSON_TYPE, ...headers, "Transfer-Encoding": "chunked" }),
      smallPiece,
    );
  const lines = Array.from({ length: 2_100 }, (_, index) => chunked(address(index)));
  try {
    const refused = () => lines.filter(({ status }) => status === 503);
    await until(() => (refused().length >= 40 ? true : null));
    expect(refused().length).toBeLessThan(60);
    // A body with a declared length needs no reservation, and large bodies have a separate limit.
    expect((await who.at(url).login()).status).toBe(200);
    const raw = JSON.stringify(who.account).padEnd(100_000, " ");
    const headers = { "content-type": "application/json" };
    expect((await t.anonymous(url).post("/api/auth/login", undefined, { raw, headers })).status).toBe(200);
  } finally {
    for (const line of lines) line.end();
  }
});

test("a body is not read before the access token is verified", async () => {
  for (const headers of [{ "Content-Length": "102400" }, { "Transfer-Encoding": "chunked" }]) {
    const [response] = await sendRaw(t.url, request("POST /api/todos", { ...JSON_TYPE, ...headers }));
    expect([response?.status, JSON.parse(response?.body ?? "").code]).toEqual([401, "UNAUTHENTICATED"]);
  }
});

test("pending JSON bodies use at most 64 MB, counted by received bytes, and do not block webhooks", async () => {
  const [instance] = await t.cluster(1, { TRUST_PROXY: "1" });
  const { url } = instance ?? { url: "" };
  const who = await t.person();
  const headOf = (index: number) =>
    request("POST /api/auth/login", { ...LARGE, ...from(`192.0.2.${index % 35}`) });
  const idle = Array.from({ length: 700 }, (_, index) => new Line(url, headOf(index)));
  // These requests declare more bytes than the limit and send none.
  await Bun.sleep(500);
  expect((await who.at(url).login()).status).toBe(200);
  const lines = Array.from({ length: 700 }, (_, index) => park(url, 1, headOf(index), 102_400)).flat();
  try {
    await until(() => (lines.some(({ status }) => status === 503) ? true : null));
    const { body, signature } = signed();
    const event = await t
      .anonymous(url)
      .post(WEBHOOK, undefined, { raw: body, headers: { "stripe-signature": signature } });
    expect(event.status).toBe(200);
    // Small bodies are still accepted.
    expect((await who.at(url).login()).status).toBe(200);
  } finally {
    for (const line of [...idle, ...lines]) line.end();
  }
  await until(async () => ((await who.at(url).login()).status === 200 ? true : null));
});
