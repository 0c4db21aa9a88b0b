import { expect, test } from "bun:test";
import { until } from "../support/cluster.ts";
import { request, sendRaw } from "../support/raw.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const [instance] = await t.cluster(1, { TRUST_PROXY: "1" });
if (instance === undefined) throw new Error("No instance");
const { url, log } = instance;

let requests = 0;
/** Sends one request and returns its log lines once they are written. */
async function logged(line: string, headers: Record<string, string> = {}, body = "") {
  const number = ++requests;
  const id = `logged-${number}`;
  const [response] = await sendRaw(url, request(line, { "X-Request-Id": id, ...headers }, body));
  const last = `closing-${number}`;
  await sendRaw(url, request("GET /api/health/live", { "X-Request-Id": last }));
  // Lines are written in order: after the line of a later request no more lines of this one follow.
  await until(() => (log().some((text) => text.includes(`"${last}"`)) ? true : null));
  const lines = log().filter((text) => text.includes(`"${id}"`));
  return { response, lines, line: JSON.parse(lines[0] ?? "{}") };
}
const urlOf = async (target: string) => (await logged(`GET ${target}`)).line.url;

test("a request is logged as one JSON line with caller, route and result", async () => {
  const person = await t.person();
  const headers = { Authorization: `Bearer ${person.accessToken}`, "X-Forwarded-For": "1.2.3.4" };
  const { lines, line } = await logged("GET /api/profile", headers);
  expect(lines).toHaveLength(1);
  expect(line).toMatchObject({
    method: "GET",
    url: "/api/profile",
    status: 200,
    ip: "1.2.3.4",
    level: "info",
  });
  expect(line.userId).toMatch(/^[0-9a-f-]{36}$/);
  expect(line.ms).toBeGreaterThanOrEqual(0);
  expect(Number.isNaN(Date.parse(line.time))).toBe(false);
});

test("the log line of a request has the declared route, and the code of an error", async () => {
  const id = crypto.randomUUID();
  expect((await logged("GET /api/health/live")).line).toMatchObject({ route: "/api/health/live" });
  expect((await logged("GET /api/health/live")).line).not.toHaveProperty("code");
  expect((await logged(`GET /api/units/${id}`)).line).toMatchObject({ code: "NOT_FOUND", route: null });
  expect((await logged(`DELETE /api/units/${id}`)).line).toMatchObject({
    code: "UNAUTHENTICATED",
    route: "/api/units/{id}",
  });
});

test("the log line of a refused request has the user id once the token has been verified", async () => {
  const person = await t.person();
  const userId = (await person.get("/api/profile")).body.id;
  const authorization = { Authorization: `Bearer ${person.accessToken}` };
  const json = { "Content-Type": "application/json" };
  const refusals: [line: string, headers: Record<string, string>, body: string, code: string][] = [
    ["GET /api/users", authorization, "", "PLATFORM_ADMIN_REQUIRED"],
    ["GET /api/todos", { ...authorization, "X-Organization-Id": "x" }, "", "ORGANIZATION_OVERRIDE_FORBIDDEN"],
    ["PATCH /api/profile", { ...authorization, ...json, "Content-Length": "1" }, "{", "MALFORMED_JSON"],
    ["PATCH /api/profile", { ...authorization, "Content-Length": "1000000" }, "", "PAYLOAD_TOO_LARGE"],
  ];
  for (const [line, headers, body, code] of refusals)
    expect((await logged(line, headers, body)).line).toMatchObject({ code, userId });
  const invitation = JSON.stringify({ token: "A".repeat(43) });
  const length = { "Content-Length": String(invitation.length) };
  const accept = ["POST /api/auth/accept-invitation", { ...authorization, ...json, ...length }] as const;
  expect((await logged(...accept, invitation)).line).toMatchObject({ status: 400, userId });
  expect((await logged("GET /api/users")).line).toMatchObject({ code: "UNAUTHENTICATED", userId: null });
});

test("requests for the API explorer and the OpenAPI document are logged with their route", async () => {
  for (const path of ["/api/docs", "/api/docs-json", "/api/docs/start.js", "/api/docs/swagger-ui.css"])
    expect((await logged(`GET ${path}`)).line).toMatchObject({ status: 200, route: path });
});

test("the log line of a request has the trace id of a traceparent header only if the header is valid", async () => {
  const [trace, parent] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const traceId = async (traceparent: string) =>
    (await logged("GET /api/health/live", { traceparent })).line.traceId;
  expect(await traceId(`00-${trace}-${parent}-01`)).toBe(trace);
  // Later versions of traceparent may have more fields.
  expect(await traceId(`01-${trace}-${parent}-01-more`)).toBe(trace);
  for (const invalid of [
    ...["", trace, `00-${trace}-${parent}-01-more`, `ff-${trace}-${parent}-01`],
    ...[`00-${"0".repeat(32)}-${parent}-01`, `00-${trace}-${"0".repeat(16)}-01`],
    ...[`00-${trace.toUpperCase()}-${parent}-01`, `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`],
  ])
    expect([invalid, await traceId(invalid)]).toEqual([invalid, undefined]);
});

test("log lines of jobs have the id of the request that queued them, also through chained jobs", async () => {
  const person = await t.unverifiedPerson();
  await until(async () => ((await t.inbox.mailsTo(person.email)).length === 1 ? true : null));
  await t.sql("UPDATE email_verification_tokens SET created_at = created_at - interval '2 minutes'");
  const body = JSON.stringify({ email: person.email });
  const id = `resend-${crypto.randomUUID()}`;
  const headers = { "Content-Type": "application/json", "X-Request-Id": id };
  await sendRaw(url, request("POST /api/auth/resend-verification", headers, body));
  const done = () =>
    log()
      .filter((text) => text.includes(id) && text.includes('"job done"'))
      .map((text) => JSON.parse(text));
  await until(() => (done().length === 2 ? true : null));
  expect(done().map(({ queue }) => queue)).toEqual(["accounts.resend-verification", "mail.send"]);
  for (const { jobId, requestId } of done()) {
    expect(jobId).toMatch(/^[0-9a-f-]{36}$/);
    expect(requestId).toBe(id);
  }
});

test("a rejected request is logged in one line", async () => {
  for (const [line, status] of [
    ["GET /api/nowhere", 404],
    ["GET /api/profile", 401],
    ["POST /api/auth/login", 400],
  ] as const) {
    const { lines, line: entry } = await logged(line);
    expect(lines).toHaveLength(1);
    expect(entry).toMatchObject({ status, userId: null });
  }
});

test("no log line contains a token, a cookie or a part of a body", async () => {
  const person = await t.person();
  const cookie = person.cookie ?? "";
  const token = person.accessToken ?? "";
  const body = JSON.stringify({ email: person.email, password: "wide blue yonder" });
  const headers = { "Content-Type": "application/json", Cookie: `refresh_token=${cookie}` };
  const login = await logged("POST /api/auth/login", { ...headers, Authorization: `Bearer ${token}` }, body);
  expect(login.response?.status).toBe(200);
  await logged("POST /api/auth/login", headers, `${body}}`);
  await logged("POST /api/auth/verify-email", headers, JSON.stringify({ token: "mailed-secret" }));
  const text = log().join("\n");
  const secrets = [cookie, token, person.email, "wide blue yonder", "mailed-secret"];
  for (const secret of [...secrets, JSON.parse(login.response?.body ?? "{}").accessToken]) {
    expect(secret.length).toBeGreaterThan(5);
    expect(text.includes(secret)).toBe(false);
  }
});

test("tokens in the query are masked in logged URLs, on any path and in any encoding", async () => {
  const forms = [
    "/api/auth/invitation?token=s3cret",
    "/api/nowhere?a=1&token=s3cret&b=2",
    "/nowhere?TOKEN=s3cret",
    "/api/nowhere?%74oken=s3cret",
    "/api/nowhere?%2574oken=s3cret",
    "/api/nowhere?%zz%74oken=s3cret",
    "/api/nowhere?access_token=s3cret",
    "/api/nowhere?token[]=s3cret",
    "/api/nowhere?token%3Ds3cret",
    "/api/nowhere?token%3Ds3cret=x",
    "/api/nowhere?token=a=s3cret",
    "/api/nowhere?token=x#token=s3cret",
    "/api/nowhere?a=1;token=s3cret",
    "/api/nowhere?next=https://app.test/verify-email?token=s3cret",
    "/api/nowhere?next=%2Fverify-email%3Ftoken%3Ds3cret",
    "/api/auth/oidc/acme/callback?code=s3cret&state=s3cret",
    "http://evil.test/api/nowhere?token=s3cret",
    "//evil.test?token=s3cret",
  ];
  for (const shown of await Promise.all(forms.map(urlOf))) {
    expect(shown).not.toContain("s3cret");
    expect(shown).toContain("…");
  }
  expect(await urlOf("/api/nowhere?a=1&token=s3cret&b=2")).toBe("/api/nowhere?a=1&token=…&b=2");
});

test("the query of an authorization request of an app is not logged", async () => {
  for (const path of ["/authorize", "/console/authorize", "/authorize/"])
    expect(await urlOf(`${path}?client_id=https://agent.example.com/a&redirect_uri=x&scope=y`)).toBe(
      `${path}?…`,
    );
  expect(await urlOf("/authorized?scope=y")).toBe("/authorized?scope=y");
});

test("a token in the query is masked even if the Host header is invalid", async () => {
  expect((await logged("GET /api/nowhere?token=s3cret", { Host: "a b" })).line.url).toBe(
    "/api/nowhere?token=…",
  );
});

test("an API key in the path or in any query parameter is masked in logged URLs", async () => {
  const digits = "0123456789abcdefghijABCDEFGHIJklmnoKLMNO012345";
  const forms = [
    `/api/nowhere/mosk_${digits}`,
    `/api/mosk%5F${digits}/nowhere?page=2`,
    `/api/units?key=mosk_${digits}`,
    `/api/units?search=mosk%5f${digits}`,
    `/api/units?mosk_${digits}`,
    `/api/units?api_key=${digits}`,
  ];
  for (const shown of await Promise.all(forms.map(urlOf))) {
    expect(shown).not.toContain(digits);
    expect(shown).toContain("…");
  }
});

test("query parameters that are not tokens are logged", async () => {
  expect(await urlOf("/api/nowhere?page=2&status=OPEN&sort=name")).toBe(
    "/api/nowhere?page=2&status=OPEN&sort=name",
  );
});

test("a client cannot inject a log line", async () => {
  const { lines, line } = await logged("GET /api/%0A%22nowhere?a=%0D%0A{}", {
    "X-Forwarded-For": '"}{"level":"fatal"',
  });
  expect(lines).toHaveLength(1);
  expect(line.status).toBe(404);
});

test("a 503 logs its cause once, without values from rows or requests", async () => {
  await t.sql(`CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'no luck today' USING ERRCODE = '40001', DETAIL = NEW::text; END $$`);
  await t.sql("CREATE TRIGGER conflict BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION conflict()");
  const email = `person-${crypto.randomUUID()}@example.com`;
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  const headers = { "Content-Type": "application/json" };
  const { response, lines } = await logged("POST /api/auth/register", headers, JSON.stringify(body));
  await t.sql("DROP TRIGGER conflict ON users");
  expect(response?.status).toBe(503);
  expect(response?.body).not.toContain("luck");
  const causes = lines.map((text) => JSON.parse(text).err?.cause).filter((cause) => cause !== undefined);
  expect(causes).toEqual([{ code: "ERR_POSTGRES_SERVER_ERROR", errno: "40001", message: "no luck today" }]);
  for (const value of [email, "Lovelace", "INSERT"]) expect(lines.join("\n")).not.toContain(value);
});
