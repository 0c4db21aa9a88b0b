import { afterEach, expect, test } from "bun:test";
import { connect as openSocket } from "node:net";
import { until } from "../support/cluster.ts";
import { type Api, startApi, startOwnPostgres, timed } from "../support/outage.ts";
import { race } from "../support/race.ts";
import { Stream } from "../support/stream.ts";

/**
 * The service limits its shutdown to 9.5 s; the rest allows for a busy machine. Without the limit it would never
 * exit.
 */
const MAX_STOP_MS = 30_000;

const postgres = await startOwnPostgres();
afterEach(() => postgres.thaw());
const url = await postgres.database();

async function readyApi(): Promise<Api> {
  const api = await startApi(url, {}, { isProgram: true });
  await api.untilReady();
  return api;
}

async function end(api: Api, signal: NodeJS.Signals = "SIGTERM") {
  const started = performance.now();
  const code = await api.stop(signal);
  return { code, inTime: performance.now() - started < MAX_STOP_MS };
}

const newEmail = () => `person-${crypto.randomUUID()}@example.com`;

test("after SIGTERM requests in flight finish, new connections are refused, and the exit code is 0", async () => {
  const api = await readyApi();
  const people = await race(5, () => api.person());
  const holder = await api.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE audit_events");
  // A sign-in waits only a second for its audit event, so these wait for their users.
  const signingIn = people.map(({ email }) => `'${email}'`).join();
  await holder.unsafe(`SELECT FROM users WHERE email IN (${signingIn}) FOR UPDATE`);
  const emails = Array.from({ length: 5 }, newEmail);
  const registrations = emails.map((email) => api.register(email));
  const logins = people.map((person) => person.login());
  // All of them must have arrived; later ones would be refused.
  await until(async () =>
    (await api.sql("SELECT FROM pg_locks WHERE NOT granted")).length >= 10 ? true : null,
  );

  const ended = end(api);
  await until(() => (api.log.some((line) => line.includes('"stopping"')) ? true : null));
  await until(() =>
    fetch(`${api.url}/api/health/live`).then(
      () => null,
      () => true,
    ),
  );
  expect(api.child.exitCode).toBeNull();
  await holder.unsafe("COMMIT");
  holder.release();

  expect((await Promise.all(registrations)).map(({ status }) => status)).toEqual(emails.map(() => 202));
  expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(logins.map(() => 200));
  expect(await ended).toEqual({ code: 0, inTime: true });
});

test("an idle instance with open keep-alive connections exits at once after a signal, also after a second one", async () => {
  const api = await readyApi();
  await race(5, async () => (await fetch(`${api.url}/api/health/live`)).text());
  const ended = timed(end(api, "SIGINT"));
  api.child.kill("SIGINT");
  api.child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
  expect((await ended).ms).toBeLessThan(5_000);
  // PostgreSQL may take a moment to end what the closed connections used.
  const open =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'test'";
  await until(async () => ((await api.sql(open)).length === 0 ? true : null));
});

test("an unfinished request or a frozen database does not delay the exit after SIGTERM", async () => {
  // Requests wait for the database for less time than the shutdown takes, even those that arrived last.
  const impatient = startApi(url, {}, { maxWaitMs: 6_000 });
  const [unfinished, frozen, silent] = await Promise.all([readyApi(), impatient, readyApi()]);
  await frozen.untilReady();
  const person = await frozen.person();

  // The body of this request is never sent.
  const { hostname, port } = new URL(unfinished.url);
  const socket = openSocket(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(
    "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
  );
  await Bun.sleep(100);

  postgres.freeze();
  const waiting = [
    ...Array.from({ length: 15 }, () => timed(frozen.register(newEmail()))),
    timed(person.get("/api/profile")),
    timed(person.refresh()),
  ];
  // All of them must have arrived; later ones would be refused.
  await Bun.sleep(5_000);
  const ends = await Promise.all([end(unfinished), end(frozen), end(silent)]);
  for (const ended of ends) expect(ended).toEqual({ code: 0, inTime: true });
  const responses = await Promise.all(waiting);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 503));
  socket.destroy();
});

test("an instance without a reachable database logs it, listens at once, and exits normally", async () => {
  const api = await startApi("postgres://nobody:nothing@127.0.0.1:1/none", {}, { isProgram: true });
  const messages = () =>
    api.log.map((line) => JSON.parse(line).msg).filter((msg) => /^(job queue|listening)/.test(msg));
  const said = await until(() => (messages().length >= 2 ? messages() : null));
  expect(said.slice(0, 2)).toEqual(["job queue cannot start yet", "listening"]);
  expect(await end(api)).toEqual({ code: 0, inTime: true });
});

test("after SIGTERM readiness fails first while requests are served with `Connection: close`; then new connections are refused", async () => {
  const api = await startApi(url, { DRAIN_SECONDS: "3" }, { isProgram: true });
  await api.untilReady();
  expect((await fetch(`${api.url}/api/health/live`)).headers.get("connection")).not.toBe("close");
  const ended = end(api);
  const stopping = await until(async () => {
    const response = await fetch(`${api.url}/api/health/ready`);
    return response.status === 503 ? response : null;
  });
  expect(await stopping.json()).toMatchObject({ status: "stopping", checks: { database: "ok" } });
  const served = await api.register(newEmail());
  expect([served.status, served.headers.get("connection")]).toEqual([202, "close"]);
  await until(() =>
    fetch(`${api.url}/api/health/live`).then(
      () => null,
      () => true,
    ),
  );
  expect(await ended).toEqual({ code: 0, inTime: true });
});

test("at shutdown streams end at different times, so that clients do not reconnect all at once", async () => {
  const api = await startApi(url, { DRAIN_SECONDS: "1" }, { isProgram: true });
  await api.untilReady();
  const people = await race(3, () => api.person());
  const streams = await Promise.all(
    people.flatMap((person) => Array.from({ length: 5 }, () => Stream.open(person))),
  );
  const ended = end(api);
  const overAt = await Promise.all(
    streams.map((stream) => until(() => (stream.isOver ? performance.now() : null))),
  );
  expect(streams.filter(({ isAborted }) => isAborted)).toEqual([]);
  // 15 random times within two seconds are closer together with a probability of less than one in a billion.
  expect(Math.max(...overAt) - Math.min(...overAt)).toBeGreaterThan(200);
  expect((await ended).code).toBe(0);
});
