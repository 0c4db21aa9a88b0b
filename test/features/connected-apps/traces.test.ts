import { expect, test } from "bun:test";
import {
  basic,
  codeFields,
  insertCode,
  insertConfidential,
  refreshFields,
  sendForm,
  token,
} from "../../support/app-codes.ts";
import {
  AUTHORIZATIONS,
  approvedBy,
  askedFounder,
  connectApp,
  insertClient,
  queryOf,
} from "../../support/apps.ts";
import { until } from "../../support/cluster.ts";
import { counter } from "../../support/front-door.ts";
import { agentOf, RawAgent } from "../../support/mcp.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* What apps and agents leave in the metrics and in the log (rules 46.1, 46.10, 46.69, 46.76). */

const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", METRICS_PORT: "0" });
const org = await createOrganization(t);
const [instance] = await t.cluster(1, { LOG_LEVEL: "info" });
if (instance === undefined) throw new Error("There is no instance");
const { url } = instance;

/** Returns the lines of the log that have an id, when there is one. */
const linesWith = (id: string) =>
  until(() => {
    const lines = instance.log().filter((line) => line.includes(id));
    return lines.length > 0 ? lines : null;
  });
const lineWith = async (id: string) => JSON.parse((await linesWith(id))[0] ?? "");
const expectUnlogged = (...secrets: string[]) =>
  expect(secrets.filter((secret) => instance.log().join("\n").includes(secret))).toEqual([]);

test("requests are counted by outcome, without anything of them (46.1)", async () => {
  const client = await insertClient(t);
  const { organization, person, shown } = await askedFounder(t, client);
  expectStatus(
    await person.post(AUTHORIZATIONS, { query: queryOf(client, { state: "x", scope: "y" }) }),
    200,
  );
  expectStatus(await person.post(AUTHORIZATIONS, { query: queryOf(client, { response_type: "x" }) }), 400);
  expectStatus(await person.post(AUTHORIZATIONS, { query: "" }), 400);
  expectStatus(await person.post(`${AUTHORIZATIONS}/deny`, { requestToken: shown.requestToken }), 200);
  await approvedBy(person, shown, { organizationId: organization.id });
  expect(await counter(t, "oauth_requests_total")).toEqual({
    "outcome=shown": 2,
    "outcome=refused": 1,
    "outcome=denied": 1,
    "outcome=approved": 1,
  });
});

test("calls of tools are counted by tool and outcome, and never by what an agent says (46.69)", async () => {
  const { agent } = await agentOf(t, org, org.admin, { scopes: ["todos:read", "todos:write"] });
  await agent.tool("whoami");
  await agent.tool("search_operations", { query: "todo" });
  await agent.tool("read", { operationId: "listTodos" });
  await agent.tool("read", { operationId: "nothing" });
  await agent.request("tools/call", { name: "read", arguments: { operationId: "listUnits" } });
  await agent.request("tools/call", { name: "forget", arguments: {} });
  const counted = Object.entries(await counter(t, "mcp_calls_total")).filter(([, count]) => count > 0);
  expect(Object.fromEntries(counted)).toEqual({
    "tool=whoami,outcome=succeeded": 1,
    "tool=search_operations,outcome=succeeded": 1,
    "tool=read,outcome=succeeded": 1,
    "tool=read,outcome=refused": 1,
    "tool=read,outcome=scope_missing": 1,
    "tool=unknown,outcome=refused": 1,
  });
});

test("a call has one line in the log, with tool and operation, without inputs, results and tokens (46.69)", async () => {
  const { accessToken } = await agentOf(t, org);
  const requestId = crypto.randomUUID();
  const input = {
    operationId: "createTodo",
    body: { title: "Nobody reads this" },
    idempotencyKey: "a-key-of-the-agent",
  };
  const { status } = await new RawAgent(instance, accessToken).request(
    "tools/call",
    { name: "write", arguments: input },
    { headers: { "x-request-id": requestId } },
  );
  expect(status).toBe(200);
  expect(await lineWith(requestId)).toMatchObject({
    msg: "request",
    method: "POST",
    route: "/mcp",
    status: 200,
    userId: idOf(org.admin),
    tool: "write",
    operation: "createTodo",
  });
  expect(await linesWith(requestId)).toHaveLength(1);
  expectUnlogged("Nobody reads", "a-key-of-the-agent", accessToken);
});

test("the line of an app's request has its grant and person, and no line has its token (46.76)", async () => {
  const { grantId, accessToken, app } = await connectApp(t, org);
  const logged = async (path: string) => {
    const requestId = crypto.randomUUID();
    await app.at(url).get(path, { headers: { "x-request-id": requestId } });
    return lineWith(requestId);
  };
  expect(await logged("/api/units")).toMatchObject({ grantId, userId: idOf(org.admin), status: 200 });
  expect(await logged("/api/profile")).toMatchObject({ grantId, code: "APP_NOT_ALLOWED", status: 403 });
  await logged(`/api/units?access_token=${accessToken}`);
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [grantId]);
  expect(await logged("/api/units")).toMatchObject({ status: 401 });
  expectUnlogged(accessToken.slice(5));
});

test("no line of the log has a code, token, secret or verifier (46.10)", async () => {
  const client = await insertConfidential(t, org.id);
  const code = await insertCode(t, org, { oauthClientId: client.id });
  const headers = basic(client.id, client.secret);
  const { client_id: _, ...fields } = codeFields(code);
  const { body } = expectStatus(await token(t, fields, { url, headers }), 200);
  const proof = { client_id: client.id, client_secret: client.secret };
  const refreshed = expectStatus(await token(t, refreshFields(body.refresh_token, proof), { url }), 200).body;
  const path = `/api/oauth/revoke?token=${refreshed.refresh_token}`;
  await sendForm(t, path, { token: body.refresh_token }, { url, headers });
  await linesWith("/api/oauth/revoke");
  expectUnlogged(
    ...[code.code, code.verifier, client.secret, body.access_token, body.refresh_token],
    ...[refreshed.access_token, refreshed.refresh_token],
  );
  expect(await lineWith("/api/oauth/token")).toMatchObject({ grantId: code.grantId, status: 200 });
});
