import { expect, test } from "bun:test";
import { api } from "../../../src/app/api.ts";
import { operationsOf } from "../../../src/features/connected-apps/mcp/operations.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { agentOf, type RawAgent } from "../../support/mcp.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { sharedService } from "../../support/service.ts";

/* Whatever an agent does at /mcp is what its person may do now, within the grant (rules 46.21, 46.63, 46.64). */

const t = await sharedService({ OAUTH_APPS: "any" });
const acme = await createOrganization(t);

const write = (agent: RawAgent, operationId: string, rest: object) =>
  agent.tool("write", { operationId, idempotencyKey: crypto.randomUUID(), ...rest });
const found = async (agent: RawAgent): Promise<string[]> =>
  (await agent.tool("search_operations")).structuredContent.operations.map(
    ({ operationId }: { operationId: string }) => operationId,
  );

test("the founder's agent with all scopes finds every operation for agents, and no other", async () => {
  const { agent } = await agentOf(t, acme);
  expect(await found(agent)).toEqual(operationsOf(api).map(({ operationId }) => operationId));
});

test("with a unit, a list has what the person reaches there and below", async () => {
  const [north, south] = [await acme.unit("North"), await acme.unit("South")];
  const below = await acme.unit("Harbour", north);
  const { agent } = await agentOf(t, acme, acme.admin, { unitId: north });
  const { structuredContent } = await agent.tool("read", { operationId: "listUnits" });
  const ids = structuredContent.untrustedData.data.map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual([north, below].toSorted());
  const outside = await write(agent, "updateUnit", { parameters: { id: south }, body: { name: "Mine" } });
  expect(outside.structuredContent.status).toBe(404);
  const renamed = await write(agent, "updateUnit", { parameters: { id: below }, body: { name: "Port" } });
  expect(renamed.structuredContent).toMatchObject({ status: 200, untrustedData: { name: "Port" } });
  expect(await found(agent)).not.toContain("getBilling");
});

test("a demoted person's agent finds less at once, and the operation is unknown to it", async () => {
  const person = await acme.member({ role: "ORG_ADMIN" });
  const { agent } = await agentOf(t, acme, person);
  expect(await found(agent)).toContain("createUnit");
  await t.sql(
    `UPDATE membership_assignments SET role_id = (SELECT id FROM roles WHERE name = 'MEMBER' AND organization_id IS NULL)
     WHERE membership_id = (SELECT id FROM memberships WHERE user_id = $1)`,
    [idOf(person)],
  );
  expect(await found(agent)).not.toContain("createUnit");
  const refused = await write(agent, "createUnit", { body: { name: "East", parentId: null } });
  expect(refused.structuredContent.code).toBe("UNKNOWN_OPERATION");
});

test("a grant that ends while a write waits is 401 with the challenge, and nothing is written", async () => {
  const { agent, grantId } = await agentOf(t, acme);
  const lock = await holdOrganizationLock(t, acme.id);
  const input = {
    operationId: "createUnit",
    body: { name: "Never", parentId: null },
    idempotencyKey: crypto.randomUUID(),
  };
  const answered = agent.request("tools/call", { name: "write", arguments: input });
  await lock.waiting(1);
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [grantId]);
  await lock.release();
  const { status, headers, body } = await answered;
  expect([status, body.error.data.code]).toEqual([401, "UNAUTHENTICATED"]);
  expect(headers.get("www-authenticate")).toContain("/.well-known/oauth-protected-resource/mcp");
  expect((await t.sql("SELECT FROM units WHERE name = 'Never'")).length).toBe(0);
});
