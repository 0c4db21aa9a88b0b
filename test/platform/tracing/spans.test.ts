import { afterAll, expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { OWN_TICKETS, reportBody, withImages } from "../../support/helpdesk.ts";
import { jpegWith } from "../../support/images.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";
import { type Span, startCollector } from "../../support/spans.ts";

/* All requests go to one instance with tracing, which exports the remaining spans when it stops. */
const collector = startCollector();
const received: { method: string; url: string; headers: Headers }[] = [];
/** A server that acts as a failing identity provider and as an S3 bucket. */
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ method, url, headers }) {
    received.push({ method, url, headers });
    return new Response(null, { status: url.includes("openid") ? 500 : 200 });
  },
});
afterAll(() => provider.stop(true));

const t = await startService();
const [instance] = await t.cluster(1, {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20s3cret",
  OTEL_SERVICE_NAME: "acme",
  OIDC_PROVIDERS: "acme",
  OIDC_ACME_ISSUER: `http://127.0.0.1:${provider.port}`,
  OIDC_ACME_CLIENT_ID: "client",
  OIDC_ACME_CLIENT_SECRET: "oidc-s3cret",
  STORAGE_DRIVER: "s3",
  S3_BUCKET: "files",
  S3_REGION: "eu",
  S3_ENDPOINT: `http://127.0.0.1:${provider.port}`,
  S3_FORCE_PATH_STYLE: "true",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "s3-s3cret",
});
if (instance === undefined) throw new Error("No instance");

const PARENT = "b7ad6b7169203331";
const traces = {
  signIn: "1",
  register: "2",
  unsampled: "3",
  failed: "4",
  provider: "5",
  upload: "6",
  list: "7",
  firstPage: "8",
};
const traceId = (name: keyof typeof traces) => traces[name].repeat(32);
const traced = (name: keyof typeof traces, flags = "01") => ({
  headers: { traceparent: `00-${traceId(name)}-${PARENT}-${flags}` },
});

const person = await t.person();
const organization = await createOrganization(t);
const caller = person.at(instance.url);
const signIn = await caller.post("/api/auth/login", person.account, {
  headers: { ...traced("signIn").headers, "x-request-id": "sign-in" },
});
const registered = { email: `new-${crypto.randomUUID()}@example.com`, password: "wide blue yonder" };
const details = { ...registered, firstName: "Ada", lastName: "Byron" };
await caller.post("/api/auth/register", details, traced("register"));
const unsampled = { ...details, email: `un-${crypto.randomUUID()}@example.com` };
await caller.post("/api/auth/register", unsampled, traced("unsampled", "00"));
await caller.post("/api/auth/verify-email?token=query-s3cret", { token: "body-s3cret" });
await caller.get("/api/auth/oidc/acme", traced("provider"));
await organization.admin.at(instance.url).get("/api/todos?search=search-s3cret", traced("list"));
await organization.admin.at(instance.url).get("/api/todos", traced("firstPage"));
const form = withImages(reportBody() as Record<string, string>, [jpegWith()]);
const headers = { ...form.headers, ...traced("upload").headers };
const uploaded = await organization.admin.at(instance.url).post(OWN_TICKETS, undefined, { ...form, headers });
if (uploaded.status !== 201) throw new Error(JSON.stringify(uploaded.body));
await t.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'no %', NEW.email; END $$`);
await t.sql("CREATE TRIGGER refuse BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION refuse()");
await caller.post("/api/auth/register", { ...details, email: "failed@example.com" }, traced("failed"));
for (const { email } of [registered, unsampled])
  await until(async () => ((await t.inbox.mailsTo(email)).length > 0 ? true : null));
const done = () =>
  instance.log().filter((line) => line.includes('"job done"') && line.includes('"mail.send"')).length;
await until(() => (done() >= 2 ? true : null));
await instance.stop();

const spans = collector.spans();
const of = (name: keyof typeof traces) => spans.filter((span) => span.traceId === traceId(name));
const one = (all: Span[], name: string): Span => {
  const found = all.filter((span) => span.name === name);
  if (found.length !== 1) throw new Error(`${name}: ${found.length} of ${all.map((span) => span.name)}`);
  return found[0] as Span;
};
const childrenOf = ({ spanId }: Span) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);

test("spans are sent to /v1/traces with the configured service name and headers", () => {
  expect(collector.requests.length).toBeGreaterThan(0);
  for (const { path, headers } of collector.requests) {
    expect(path).toBe("/v1/traces");
    expect(headers.get("authorization")).toBe("Bearer s3cret");
  }
  const { resource } = JSON.parse(collector.requests[0]?.text ?? "").resourceSpans[0];
  expect(resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "acme" } });
});

test("a request is a span below its traceparent, named by method and route, without its path parameters", () => {
  expect(signIn.status).toBe(200);
  const request = one(of("signIn"), "POST /api/auth/login");
  expect(request).toMatchObject({ kind: "SERVER", parentSpanId: PARENT, failed: false });
  expect(request.attributes).toEqual({
    "http.request.method": "POST",
    "url.scheme": "http",
    "http.route": "/api/auth/login",
    "http.response.status_code": 200,
    "http.response.header.x-request-id": ["sign-in"],
  });
});

test("a transaction is a span below the request; each statement is a span below it, named by its query", () => {
  const request = one(of("signIn"), "POST /api/auth/login");
  // The transaction of the sign-in; a second one writes the audit event.
  const [transaction] = of("signIn").filter(({ name }) => name === "transaction");
  if (transaction === undefined) throw new Error("No transaction");
  expect(transaction).toMatchObject({ kind: "INTERNAL", parentSpanId: request.spanId });
  const statements = childrenOf(transaction).map(({ name }) => name);
  expect([statements[0], statements.at(-1)]).toEqual(["BEGIN", "COMMIT"]);
  expect(statements).toContain("people.accounts.findUserByEmail");
  expect(statements).toContain("sessions.insertSession");
  expect(childrenOf(request).map(({ name }) => name)).toContain("people.accounts.findUserByEmail");
  const { pathname, hostname, port } = new URL(t.databaseUrl);
  expect(one(childrenOf(transaction), "people.accounts.findUserByEmail")).toMatchObject({
    kind: "CLIENT",
    attributes: {
      "db.system.name": "postgresql",
      "db.namespace": pathname.slice(1),
      "db.operation.name": "SELECT",
      "db.query.summary": "people.accounts.findUserByEmail",
      "server.address": hostname,
      "server.port": Number(port),
    },
  });
});

test("the span of every query has the query's name", () => {
  expect(of("list").map(({ name }) => name)).toContain("todos.listTodos");
  expect(of("firstPage").map(({ name }) => name)).toContain("todos.todos.firstPages");
  const unnamed = spans.filter(
    (span) =>
      "db.system.name" in span.attributes && !/\.|^(BEGIN|COMMIT|ROLLBACK|SET|transaction)$/.test(span.name),
  );
  // The statement that queues a job has no name; its parent span names the job.
  for (const span of unnamed) {
    expect(span.name).toBe("INSERT");
    expect(
      one(
        spans.filter(({ spanId }) => spanId === span.parentSpanId),
        "send mail.send",
      ).kind,
    ).toBe("PRODUCER");
  }
});

test("a job and its mail are in the trace of the request that queued the job", () => {
  const sent = one(of("register"), "send mail.send");
  expect(sent.parentSpanId).toBe(one(of("register"), "transaction").spanId);
  const processed = one(of("register"), "process mail.send");
  expect(processed).toMatchObject({
    kind: "CONSUMER",
    parentSpanId: sent.spanId,
    attributes: {
      "messaging.system": "pg-boss",
      "messaging.operation.type": "process",
      "messaging.destination.name": "mail.send",
    },
  });
  expect(one(of("register"), "SMTP send")).toMatchObject({ kind: "CLIENT", parentSpanId: processed.spanId });
  const line = instance
    .log()
    .find((text) => text.includes('"job done"') && text.includes(traceId("register")));
  expect(JSON.parse(line ?? "{}").jobId).toBe(processed.attributes["messaging.message.id"]);
});

test("a request whose caller does not sample it is not exported, and neither are its jobs", () => {
  expect(of("unsampled")).toEqual([]);
});

test("health checks have no spans, and every span belongs to a request or a job", () => {
  expect(spans.filter(({ name }) => name.includes("health"))).toEqual([]);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  // A scheduled job has no request, so its span is a root; the span of a job queued by a request never is.
  const begun = roots.filter(({ kind, name }) => kind !== "CONSUMER" || name === "process mail.send");
  expect([...new Set(begun.map(({ kind }) => kind))]).toEqual(["SERVER"]);
});

test("a call to a provider is a span without the query string, and sends no trace headers", () => {
  const call = one(of("provider"), "GET");
  expect(call).toMatchObject({ kind: "CLIENT", failed: true });
  expect(call.attributes).toEqual({
    "http.request.method": "GET",
    "server.address": "127.0.0.1",
    "server.port": provider.port,
    "url.full": `http://127.0.0.1:${provider.port}/.well-known/openid-configuration`,
    "http.response.status_code": 500,
    "error.type": "500",
  });
  expect(one(of("upload"), "S3/PutObject")).toMatchObject({
    kind: "CLIENT",
    attributes: { "rpc.system.name": "aws-api", "rpc.method": "S3/PutObject", "aws.s3.bucket": "files" },
  });
  expect(received.map(({ method }) => method)).toContain("PUT");
  for (const { headers } of received)
    expect([...headers.keys()].filter((name) => /trace|baggage|b3/.test(name))).toEqual([]);
});

test("a failure marks its spans as failed, without the error message", () => {
  const request = one(of("failed"), "POST /api/auth/register");
  expect(request).toMatchObject({ failed: true });
  expect(request.attributes).toMatchObject({
    "http.response.status_code": 500,
    "error.type": "INTERNAL_ERROR",
  });
  const statement = of("failed").find(({ name, failed }) => failed && name.includes("."));
  expect(statement).toMatchObject({ kind: "CLIENT", attributes: { "error.type": "P0001" } });
});

test("no span contains an email, a token, a password, a query value or a part of a body", () => {
  const text = collector.text();
  const secrets = [person.email, registered.email, "failed@", "wide blue yonder", "Byron", "s3cret"];
  for (const secret of [...secrets, signIn.body.accessToken, signIn.cookie]) {
    expect(secret?.length).toBeGreaterThan(2);
    expect([secret, text.includes(`${secret}`)]).toEqual([secret, false]);
  }
});
