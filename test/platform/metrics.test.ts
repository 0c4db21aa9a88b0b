import { expect, test } from "bun:test";
import { join } from "node:path";
import { jobKinds } from "../../src/app/jobs.ts";
import { COUNTERS, DURATIONS } from "../../src/core/counters.ts";
import { mailTemplates } from "../../src/core/effects/mail.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { until } from "../support/cluster.ts";
import { createOrganization } from "../support/organizations.ts";
import { startApi } from "../support/outage.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";
import { holdTable } from "../support/tables.ts";
import { createEndpoint } from "../support/webhooks.ts";

const t = await startService({ METRICS_PORT: "0" });
const metricsUrl = t.running.metricsUrl ?? "";

async function metrics(): Promise<string[]> {
  return (await (await fetch(metricsUrl)).text()).split("\n");
}

const countOf = (lines: string[], labels: string) =>
  Number(
    lines
      .find((line) => line.startsWith(`http_request_duration_seconds_count{${labels}}`))
      ?.split(" ")
      .at(-1) ?? 0,
  );

test("the metrics port serves the Prometheus format; the API port serves no metrics", async () => {
  const response = await fetch(metricsUrl);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  expect(await response.text()).toContain("# TYPE http_request_duration_seconds histogram");
  expect((await fetch(metricsUrl.replace(/metrics$/, ""))).status).toBe(404);
  expect((await fetch(`${t.url}/metrics`)).status).toBe(404);
});

test("requests are counted by route, method and status", async () => {
  const person = await t.person();
  const labels = 'method="GET",route="/api/profile",status="200"';
  const before = countOf(await metrics(), labels);
  await person.get("/api/profile");
  await person.get("/api/profile");
  const lines = await metrics();
  expect(countOf(lines, labels)).toBe(before + 2);
});

/** Returns the value of a metric, whose labels are given in their declared order. */
async function readValue(metric: string): Promise<number> {
  const line = (await metrics()).find((text) => text.startsWith(`${metric} `));
  return Number(line?.split(" ").at(-1) ?? Number.NaN);
}

/** Returns by how much a metric grows during `work`. */
async function growthOf(metric: string, work: () => Promise<unknown>): Promise<number> {
  const before = await readValue(metric);
  await work();
  return (await readValue(metric)) - before;
}

test("every metric is exported before its first event", async () => {
  const fresh = await startService({ METRICS_PORT: "0" });
  const text = await (await fetch(fresh.running.metricsUrl ?? "")).text();
  const expected = [
    ...Object.keys(COUNTERS).map((name) => `${name}{`),
    ...["transactions", "reads", "lists", "pages"].flatMap((pool) =>
      ["used", "idle", "waiting"].map((state) => `db_pool_connections{pool="${pool}",state="${state}"} `),
    ),
    ...Object.keys(mailTemplates()).map((kind) => `mails_total{kind="${kind}",outcome="given_up"} 0`),
    ...jobKinds.map(({ queue }) => `jobs{queue="${queue}",state="failed"} 0`),
    ...jobKinds.map(({ queue }) => `jobs_oldest_seconds{queue="${queue}"} `),
    ...["password_hashes_waiting 0", "streams_open 0", "change_feed_connected 1", "upload_bytes_in_flight 0"],
    ...["event_loop_lag_seconds ", "pg_notification_queue_usage ", "# TYPE db_pool_wait_seconds histogram"],
    ...Object.keys(DURATIONS).map((name) => `# TYPE ${name} histogram`),
  ];
  const bare = (name: string) => (name.endsWith("{") ? name.slice(0, -1) : name);
  expect(expected.filter((name) => !text.includes(`\n${bare(name)}`) && !text.startsWith(name))).toEqual([]);
});

test("release and commit are in the build_info metric and in the first log line", async () => {
  const { version } = await Bun.file(join(import.meta.dir, "../../package.json")).json();
  const lines = await metrics();
  expect(lines).toContain(`build_info{version="${version}",revision="unknown"} 1`);
  const api = await startApi(
    t.databaseUrl,
    { METRICS_PORT: "0", SERVICE_REVISION: "4f2c1d0" },
    { isProgram: true },
  );
  expect(JSON.parse(api.log[0] ?? "{}")).toMatchObject({ msg: "starting", version, revision: "4f2c1d0" });
  const text = await (await fetch(`${api.metricsUrl}metrics`)).text();
  expect(text).toContain(`build_info{version="${version}",revision="4f2c1d0"} 1`);
  await api.stop();
});

test("the event loop lag metric is the maximum since the last scrape", async () => {
  const { text } = createMetrics({});
  const lag = async () => Number(/^event_loop_lag_seconds (.+)$/m.exec(await text())?.[1]);
  await lag();
  const since = performance.now();
  while (performance.now() - since < 600) Bun.hash("busy");
  const blocked = await lag();
  expect(blocked).toBeGreaterThan(0.4);
  // On a busy machine the event loop may lag once by as much, but not repeatedly.
  await until(async () => ((await lag()) < blocked ? true : null));
});

test("sign-ins are counted by outcome in a metric", async () => {
  const person = await t.person();
  const outcome = (name: string) => `sign_ins_total{outcome="${name}"}`;
  expect(await growthOf(outcome("succeeded"), () => person.login())).toBe(1);
  const wrong = () =>
    t.anonymous().post("/api/auth/login", { email: person.email, password: "not this one" });
  expect(await growthOf(outcome("wrong_password"), wrong)).toBe(1);
  const unknown = () =>
    t.anonymous().post("/api/auth/login", { email: uniqueEmail(), password: "not this one" });
  expect(await growthOf(outcome("unknown_email"), unknown)).toBe(1);
});

test("the reuse of a refresh token is counted in a metric", async () => {
  const person = await t.person();
  const old = person.cookie;
  await person.refresh();
  await t.age("refresh_tokens", {}, { minutes: 1 });
  person.cookie = old;
  expect(await growthOf("refresh_tokens_reused_total", () => person.refresh())).toBe(1);
});

test("sent mails and waiting jobs are counted in metrics", async () => {
  const queued = 'jobs{queue="mail.send",state="created"}';
  await t.drain();
  await until(async () => ((await readValue(queued)) === 0 ? true : null));
  await t.unverifiedPerson();
  // Counts from the database are refreshed every 2 seconds.
  await until(async () => ((await readValue(queued)) === 1 ? true : null));
  expect(await growthOf('mails_total{kind="verification",outcome="sent"}', () => t.drain())).toBe(1);
});

test("open event streams and those ended by the service are counted in metrics", async () => {
  const stopped = await startService({ METRICS_PORT: "0" });
  const person = await stopped.person();
  const open = async () =>
    (await (await fetch(stopped.running.metricsUrl ?? "")).text()).includes("\nstreams_open 1\n");
  expect(await open()).toBe(false);
  const stream = await fetch(`${stopped.url}/api/notifications/stream`, {
    headers: { Authorization: `Bearer ${person.accessToken}` },
  });
  expect(await open()).toBe(true);
  stopped.running.app.streams.stop();
  expect(await open()).toBe(false);
  expect(await (await fetch(stopped.running.metricsUrl ?? "")).text()).toContain(
    'streams_dropped_total{reason="stopping"} 1',
  );
  await stream.body?.cancel();
});

test("database connections count as used while a transaction runs, and transactions beyond the pool size as waiting", async () => {
  const people = await race(6, () => t.person());
  const used = 'db_pool_connections{pool="transactions",state="used"}';
  const waiting = 'db_pool_connections{pool="transactions",state="waiting"}';
  const lock = await holdTable(t, "users");
  const writes = people.flatMap((person) =>
    [1, 2].map(() => person.patch("/api/profile", { firstName: "Al" })),
  );
  await until(async () => ((await readValue(waiting)) === 2 && (await readValue(used)) === 10 ? true : null));
  await lock.release();
  for (const response of await Promise.all(writes)) expectStatus(response, 200);
  expect(await readValue(used)).toBe(0);
  expect(await readValue('db_pool_wait_seconds_count{pool="transactions"}')).toBeGreaterThan(12);
});

test("values sent by clients never become metric labels", async () => {
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      fetch(`${t.url}/api/made-up-${index}`, { method: index % 2 ? "GET" : "PROPFIND" }),
    ),
  );
  for (const method of ["MADEUP", "made-up", "BREW", "PURGE", "LINK"]) {
    await fetch(`${t.url}/api/profile`, { method }).catch(() => {});
  }
  await fetch(`${t.url}/api/health/live`, { method: "OPTIONS" });
  const lines = (await metrics()).filter((line) => line.startsWith("http_request_duration_seconds_count"));
  expect(lines.join("\n")).not.toContain("made-up");
  const methods = lines.map((line) => /method="([^"]*)"/.exec(line)?.[1] ?? "");
  expect(methods.filter((method) => !/^(GET|POST|PATCH|OPTIONS|other)$/.test(method))).toEqual([]);
});

test("without METRICS_PORT no metrics are served", async () => {
  const plain = await startService();
  expect(plain.running.metricsUrl).toBeNull();
});

test("the wait of webhook endpoints leaves out those of suspended organizations, which get no turn", async () => {
  const { id, admin } = await createOrganization(t);
  await createEndpoint(admin, "https://hooks.example.com/");
  await t.sql(
    "UPDATE webhook_endpoints SET next_due_at = now() - interval '1 hour' WHERE organization_id = $1",
    [id],
  );
  const seconds = async () =>
    Number((await metrics()).find((line) => line.startsWith("webhook_oldest_due_seconds "))?.split(" ")[1]);
  // The values of the database are cached for two seconds.
  await until(async () => ((await seconds()) >= 3_600 ? true : null));
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [id]);
  await until(async () => ((await seconds()) === 0 ? true : null));
});
