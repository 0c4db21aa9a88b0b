import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { buildEdge } from "../../src/dev/edge/build.ts";
import { AppDocuments } from "../support/app-documents.ts";
import { AUTHORIZATIONS, queryOf } from "../support/apps.ts";
import {
  type Algorithm,
  passkeyProof,
  register,
  SoftAuthenticator,
  signIn,
  withPasskey,
} from "../support/authenticator.ts";
import { Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { CONNECTIONS, connectionTo } from "../support/connections.ts";
import { add, verify } from "../support/domains.ts";
import { startEdgeInstance } from "../support/edge.ts";
import { OWN_TICKETS, reportBody, withImages } from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, startService } from "../support/service.ts";
import { SIGN_ON } from "../support/sign-on.ts";

/* The edge bundle in workerd, next to an instance on Bun. `bun run test:edge` runs the route tests against the bundle. */
const bundle = await mkdtemp(join(tmpdir(), "edge-bundle-"));
const built = await buildEdge(bundle);
const documents = await AppDocuments.start();
const t = await startService({ ...SIGN_ON, OAUTH: "on" });
const edge = await startEdgeInstance(bundle, t.environment);
afterAll(async () => {
  await edge.stop();
  await rm(bundle, { recursive: true });
});

const openConnections = async () =>
  (
    await t.sql(
      "SELECT FROM pg_stat_activity WHERE application_name = 'edge' AND datname = current_database()",
    )
  ).length;

const waitingForLock = async () =>
  (await t.sql("SELECT FROM pg_stat_activity WHERE application_name = 'edge' AND wait_event_type = 'Lock'"))
    .length;

test("the edge bundle is one module of less than 700 KB gzipped, without code for mail or jobs", async () => {
  expect(built.gzipped).toBeLessThan(700_000);
  const names = built.parts.map(([name]) => name);
  for (const absent of [
    "@modelcontextprotocol/server",
    "nodemailer",
    "pg-boss",
    "@node-rs/argon2",
    "swagger-ui-dist",
    "prom-client",
  ])
    expect(names).not.toContain(absent);
});

test("a session that began on Bun continues at the edge, and vice versa", async () => {
  const { account, accessToken, cookie } = await t.person();
  const here = new Caller(edge.url, account);
  here.accessToken = accessToken;
  here.cookie = cookie;
  expectStatus(await here.get("/api/profile"), 200);
  expectStatus(await here.refresh(), 200);
  const there = here.at(t.url);
  const { body } = expectStatus(await there.post("/api/auth/organizations", { name: "Edge" }), 201);
  expect(JSON.stringify((await here.get("/api/auth/organizations")).body)).toContain(body.id);
});

test("password hashes of Bun and the edge are compatible, and a mail queued at the edge is sent by an instance on Bun", async () => {
  const email = `person-${crypto.randomUUID()}@example.com`;
  const account = { email, password: "wide blue yonder" };
  const here = new Caller(edge.url, account);
  expectStatus(
    await here.post("/api/auth/register", { ...account, firstName: "Ada", lastName: "King" }),
    202,
  );
  const { token } = await t.linkTo(email, "/verify-email");
  expectStatus(await here.post("/api/auth/verify-email", { token }), 204);
  for (const url of [t.url, edge.url]) expectStatus(await new Caller(url, account).login(), 200);
  for (const wrong of ["another one", "short"]) expectStatus(await here.login(wrong), 401);
});

test("passkeys of each algorithm are added at the edge, sign in there and on Bun, and prove the identity", async () => {
  for (const algorithm of [-7, -8, -257] as Algorithm[]) {
    const here = (await t.person()).at(edge.url);
    const { authenticator } = await withPasskey(here, new SoftAuthenticator({ algorithm }));
    for (const url of [edge.url, t.url]) expectStatus(await signIn(new Caller(url), authenticator), 200);
    expectStatus(
      await here.post("/api/profile/reauthenticate", await passkeyProof(here, authenticator)),
      204,
    );
    const wrong = await signIn(new Caller(edge.url), authenticator, { origin: "https://evil.test" });
    expect([wrong.status, wrong.body.code]).toEqual([401, "INVALID_PASSKEY"]);
  }
  const here = (await t.person()).at(edge.url);
  const add = (attestation: "self" | "packed" | "tpm") =>
    register(here, new SoftAuthenticator(), { said: { attestation } });
  expectStatus(await add("self"), 201);
  for (const certified of ["packed", "tpm"] as const)
    expect((await add(certified)).body.code).toBe("INVALID_PASSKEY");
});

test("at the edge a request closes its database connections when its response, also a streamed one, has been read", async () => {
  const who = (await t.person()).at(edge.url);
  const responses = await Promise.all(Array.from({ length: 8 }, () => who.get("/api/notifications")));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  const exported = await who.post("/api/profile/export", { password: who.account.password });
  expect([exported.status, exported.body.slice(0, 2)]).toEqual([200, "PK"]);
  await until(async () => ((await openConnections()) === 0 ? true : null));
});

test("at the edge a client that disconnects leaves no connection open and no concurrency limit taken", async () => {
  const who = (await t.person()).at(edge.url);
  const headers = { authorization: `Bearer ${who.accessToken}` };
  const leaving = new AbortController();
  const ask = () => fetch(`${edge.url}/api/notifications`, { headers, signal: leaving.signal });
  const locking = new SQL({ url: t.databaseUrl, max: 1 });
  await locking.begin(async (tx) => {
    await tx`LOCK notifications IN ACCESS EXCLUSIVE MODE`;
    // An account may run two lists at once.
    const asked = [ask(), ask()].map((response) => response.catch(() => null));
    await until(async () => ((await waitingForLock()) === 2 ? true : null));
    leaving.abort();
    expect(await Promise.all(asked)).toEqual([null, null]);
  });
  await locking.close();
  await until(async () => ((await openConnections()) === 0 ? true : null));
  expectStatus(await who.get("/api/notifications"), 200);
});

test("at the edge a terminated database connection is retried or is a 503, and the next request is served", async () => {
  const who = (await t.person()).at(edge.url);
  const statuses = new Set<number>();
  const asking = Array.from({ length: 30 }, async () =>
    statuses.add((await who.patch("/api/profile", { firstName: "Ada" })).status),
  );
  for (let round = 0; round < 10; round += 1)
    await t.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'edge'");
  await Promise.all(asking);
  for (const status of statuses) expect([200, 503]).toContain(status);
  expectStatus(await who.get("/api/profile"), 200);
  expect(edge.log()).not.toMatch(/Uncaught|unhandled/i);
});

test("features that the edge does not have return errors in the common format", async () => {
  const who = (await t.person()).at(edge.url);
  const stream = await who.get("/api/notifications/stream");
  expect(stream).toMatchObject({ status: 501, body: { statusCode: 501, code: "NOT_SERVED_HERE" } });
  const report = await who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith()]));
  expect(report).toMatchObject({ status: 503, body: { code: "SERVICE_UNAVAILABLE" } });
  const org = await createOrganization(t);
  expect(await verify(org.admin.at(edge.url), await add(org))).toMatchObject({
    status: 501,
    body: { code: "NOT_SERVED_HERE" },
  });
  expect((await fetch(`${edge.url}/api/docs`)).status).toBe(404);
  const { status, body } = await who.get("/api/health/ready");
  expect([status, body.status, body.checks.storage]).toEqual([200, "degraded", "failed"]);
});

test("at the edge an invalid configuration is a 500 for every request, which names no value", async () => {
  const wrong = await startEdgeInstance(bundle, {
    ...t.environment,
    JOBS_ENCRYPTION_KEY: "short",
    REAUTHENTICATION_MINUTES: "abc",
  });
  const response = await fetch(`${wrong.url}/api/health/live`);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ statusCode: 500, code: "INTERNAL_ERROR" });
  for (const name of ["JOBS_ENCRYPTION_KEY", "REAUTHENTICATION_MINUTES"]) expect(wrong.log()).toContain(name);
  expect(wrong.log()).not.toContain("two-factor-key");
  await wrong.stop();
});

test("a provider of an organization is called at public addresses alone", async () => {
  const { admin } = await createOrganization(t);
  let calls = 0;
  const inside = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      calls += 1;
      return Response.json({});
    },
  });
  const body = connectionTo({ issuer: `http://127.0.0.1:${inside.port}` });
  expect((await admin.post(CONNECTIONS, body)).status).toBe(400);
  expect(calls).toBeGreaterThan(0);
  calls = 0;
  const response = await admin.at(edge.url).post(CONNECTIONS, body);
  expect([response.status, response.body.message]).toEqual([
    400,
    "oidc.issuer must be a reachable OpenID provider",
  ]);
  expect(calls).toBe(0);
  await inside.stop(true);
});

test("documents of apps are read at public addresses alone, and once for all who ask at once", async () => {
  const { id } = documents.publish();
  const person = await t.person();
  const networks = { OAUTH_DOCUMENT_NETWORKS: "127.0.0.0/8" };
  const outside = await startEdgeInstance(bundle, { ...t.environment, ...networks });
  for (const { url } of [edge, outside]) {
    const refused = await person.at(url).post(AUTHORIZATIONS, { query: queryOf(id) });
    expect([refused.status, refused.body.details]).toMatchObject([400, { error: "invalid_client" }]);
  }
  expect(documents.connections).toBe(0);
  await outside.stop();

  const inside = await startEdgeInstance(bundle, t.environment, { reachesInside: true });
  const shared = documents.publish({ client_name: "Agent" }, { delayMs: 500 });
  const people = await Promise.all(Array.from({ length: 8 }, () => t.person()));
  const shown = await Promise.all(
    people.map((one) => one.at(inside.url).post(AUTHORIZATIONS, { query: queryOf(shared.id) })),
  );
  expect(shown.map(({ status, body }) => [status, body.client?.name])).toEqual(
    people.map(() => [200, "Agent"]),
  );
  expect(documents.countOf(shared)).toBe(1);
  const moved = documents.publish({}, { status: 302, headers: { location: shared.id } });
  expectStatus(await person.at(inside.url).post(AUTHORIZATIONS, { query: queryOf(moved.id) }), 400);
  expect([documents.countOf(moved), documents.countOf(shared)]).toEqual([1, 1]);
  await inside.stop();
});

test("the request handler of the edge also runs on Node.js", async () => {
  const folder = join(bundle, "node");
  const entry = join(import.meta.dir, "../support/edge-server.ts");
  const { file } = await buildEdge(folder, { entry, conditions: ["node"] });
  await Bun.write(join(folder, "package.json"), '{"type":"module"}');
  const node = Bun.which("node");
  if (node === null) throw new Error("Node.js is not installed");
  const child = Bun.spawn([node, file, join(folder, "argon2.wasm")], {
    env: { ...t.environment },
    stdout: "pipe",
  });
  try {
    const { value } = await child.stdout.getReader().read();
    const { port } = JSON.parse(new TextDecoder().decode(value).split("\n")[0] ?? "");
    const { account } = await t.person();
    const there = new Caller(`http://127.0.0.1:${port}`, account);
    expectStatus(await there.login(), 200);
    expectStatus(await there.patch("/api/profile", { firstName: "Grace" }), 200);
    expect((await there.get("/api/profile")).body.firstName).toBe("Grace");
  } finally {
    child.kill();
    await child.exited;
  }
});
