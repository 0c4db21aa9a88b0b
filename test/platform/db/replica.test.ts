import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { migrateAll } from "../../../src/app/migrate.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { startReplica } from "../../support/replica.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Two instances with a primary and a streaming replica. Replay is paused to make the replica lag. */
const primary = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
afterAll(() => primary.stop());
const databaseUrl = await createDatabase(primary.url, "service");
await migrateAll(databaseUrl);
const replica = await startReplica(primary);
afterAll(() => replica.stop());
const replicaUrl = Object.assign(new URL(replica.url), { pathname: "/service" }).href;
const t = await startService({ DATABASE_REPLICA_URL: replicaUrl }, { databaseUrl });
const [{ url: other } = { url: "" }] = await t.cluster(1, { METRICS_PORT: "0" });

/** Runs a statement on the replica, on a new connection, because the replica restarts during the tests. */
async function onReplica<Row>(text: string): Promise<Row[]> {
  const sql = new SQL({ url: replicaUrl, max: 1 });
  try {
    return [...(await sql.unsafe(text))] as Row[];
  } finally {
    await sql.close({ timeout: 0 });
  }
}

const ready = async () => {
  const { status, body } = await t.anonymous(other).get("/api/health/ready");
  return { code: status, status: body.status, replica: body.checks.replica };
};
const untilReplica = (state: "ok" | "failed") =>
  until(async () => ((await ready()).replica === state ? true : null));
/** Pauses replay, so that later commits do not arrive on the replica. */
const pause = () => onReplica("SELECT pg_wal_replay_pause()");
async function resume() {
  await onReplica("SELECT pg_wal_replay_resume()");
  await untilReplica("ok");
}

/** Counts the replica's connections whose last statement read todos. */
const listsThere = async () =>
  (
    await onReplica(
      `SELECT FROM pg_stat_activity WHERE query LIKE '%todos%' AND pid <> pg_backend_pid()
       AND application_name IN ('api-pages-replica', 'api-lists-replica')`,
    )
  ).length;

await untilReplica("ok");
const organization = await createOrganization(t);
const { admin } = organization;
const add = async (who: Caller, title: string) => expectStatus(await who.post("/api/todos", { title }), 201);
/** Returns the titles of the caller's todos as the other instance lists them. */
async function listed(who: Caller, query = "") {
  const { data, total } = expectStatus(await who.at(other).get(`/api/todos${query}`), 200).body;
  expect(total).toBe(data.length);
  return data.map(({ title }: { title: string }) => title).sort();
}

test("lists are read from the replica with the same plans as on the primary, and readiness reports the replica", async () => {
  const who = await organization.member();
  await add(who, "first");
  await until(async () => {
    expect(await listed(who)).toEqual(["first"]);
    expect(await listed(who, "?search=irs")).toEqual(["first"]);
    return (await listsThere()) >= 2 ? true : null;
  });
  expect(await ready()).toEqual({ code: 200, status: "ok", replica: "ok" });
});

test("a write is visible at once in the lists of another instance", async () => {
  const who = await organization.member();
  const titles: string[] = [];
  for (let index = 0; index < 30; index += 1) {
    titles.push(`todo ${String(index).padStart(2, "0")}`);
    await add(who, titles.at(-1) ?? "");
    expect(await listed(who, "?pageSize=100")).toEqual(titles);
  }
});

test("while the replica lags, lists are read from the primary, so that new rows and revoked permissions count at once", async () => {
  const [writer, removed] = [await organization.member(), await organization.member()];
  const removedId = await userIdOf(t, removed);
  await pause();
  await add(writer, "written");
  expectStatus(await admin.delete(`/api/members/${removedId}`), 204);
  expect(await listed(writer)).toEqual(["written"]);
  const { data } = expectStatus(await admin.at(other).get("/api/members?pageSize=100"), 200).body;
  expect(data.map(({ userId }: { userId: string }) => userId)).not.toContain(removedId);
  await untilReplica("failed");
  expect(await ready()).toEqual({ code: 200, status: "degraded", replica: "failed" });
  await resume();
  expect(await listed(writer)).toEqual(["written"]);
});

test("a member who was removed from a unit cannot be read there through a lagging replica", async () => {
  const [north, south] = [await organization.unit("North"), await organization.unit("South")];
  const reader = await organization.member({ role: "ORG_ADMIN", unit: north });
  const person = await organization.member();
  await organization.link(person, north);
  const seen = async () => {
    const { data } = expectStatus(await reader.at(other).get("/api/members?pageSize=100"), 200).body;
    return data.some(({ email }: { email: string }) => email === person.email);
  };
  expect(await seen()).toBe(true);
  await pause();
  const units = `/api/members/${await userIdOf(t, person)}/units`;
  expectStatus(await admin.patch(units, { unitIds: [south] }), 200);
  expect(await seen()).toBe(false);
  await resume();
  expect(await seen()).toBe(false);
});

test("lists keep working while replica connections are terminated and while the replica is down; later it serves again", async () => {
  const who = await organization.member();
  await add(who, "kept");
  await untilReplica("ok");
  for (let round = 0; round < 20; round += 1) {
    const cut = onReplica(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'api-%-replica'",
    );
    const responses = await Promise.all(Array.from({ length: 4 }, () => listed(who)));
    expect(responses).toEqual(Array(4).fill(["kept"]));
    await cut;
  }
  await replica.stopServer();
  expect(await listed(who)).toEqual(["kept"]);
  await untilReplica("failed");
  expect((await ready()).code).toBe(200);
  await replica.restart();
  await untilReplica("ok");
  expect(await listed(who)).toEqual(["kept"]);
});

test("an export that has started continues when the replica stops", async () => {
  const events = 1_000;
  const who = await organization.member({ role: "ORG_ADMIN" });
  await t.sql(
    `INSERT INTO audit_events (action, organization_id, metadata)
     SELECT 'UNIT_CREATED', $1, '{}' FROM generate_series(1, ${events})`,
    [organization.id],
  );
  await untilReplica("ok");
  const download = await fetch(`${other}/api/organization/audit-events/export?format=ndjson`, {
    headers: { authorization: `Bearer ${who.accessToken}` },
  });
  expect(download.status).toBe(200);
  await replica.stopServer();
  const lines = (await download.text()).trim().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(events);
  await replica.restart();
  await untilReplica("ok");
});

test("a DATABASE_REPLICA_URL that is no replica, or one of another server, is never read from", async () => {
  const stranger = JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}").url;
  for (const wrong of [databaseUrl, stranger]) {
    const instance = await startService({ DATABASE_REPLICA_URL: wrong }, { databaseUrl, keep: true });
    const { body } = await instance.anonymous().get("/api/health/ready");
    expect(body).toMatchObject({ status: "degraded", checks: { replica: "failed" } });
    await instance.stop();
  }
});
