import { expect, test } from "bun:test";
import { allowsApps } from "../../../src/core/access/access.ts";
import type { RouteDefinition } from "../../../src/core/api/route.ts";
import { insertGrant, useApp } from "../../support/apps.ts";
import { report } from "../../support/helpdesk.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { relay } from "../../support/outgoing-events.ts";
import { ROUNDS } from "../../support/race.ts";
import { definitions } from "../../support/routes.ts";
import { seedOf } from "../../support/seeds.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { createEndpoint } from "../../support/webhooks.ts";

/* Whatever an app calls, in whatever order: nothing that gives authority is there afterwards that was not before. */

const LARGE = "1000000";
const limits = { OAUTH_RATE_LIMIT: LARGE, API_KEY_RATE_LIMIT_ORGANIZATION: LARGE };
const t = await startService({ OAUTH_APPS: "any", ...limits });

const CALLS = Math.min(200 * ROUNDS, 10_000);
const SEED = Number(process.env.SEED ?? 1);

/** The tables that give authority, with their columns that only say when something was used. */
const AUTHORITY = {
  users: [],
  organizations: [],
  memberships: [],
  membership_assignments: [],
  membership_units: [],
  roles: [],
  service_accounts: [],
  service_account_assignments: [],
  api_keys: ["last_used_at", "last_used_ip"],
  user_invitations: [],
  user_invitation_assignments: [],
  webhook_endpoints: ["next_due_at"],
  refresh_tokens: [],
  passkeys: [],
  user_identities: [],
  sso_connections: [],
  organization_domains: [],
  sign_on_policies: [],
  sign_on_setup_links: [],
  oauth_clients: [],
  oauth_approved_apps: [],
  oauth_grants: ["last_used_at", "last_used_ip"],
  oauth_codes: [],
  oauth_tokens: [],
};

async function authority(): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const [table, ignored] of Object.entries(AUTHORITY)) {
    const without = ignored.map((column) => ` - '${column}'`).join("");
    rows[table] = await t.sql(`SELECT to_jsonb(x)${without} AS row FROM ${table} x ORDER BY 1`);
  }
  return rows;
}

/** Returns the ids that paths and bodies of the walk name, by kind. */
async function listIds(organizationId: string): Promise<Record<string, string[]>> {
  const of = async (query: string) =>
    (await t.sql<{ id: string }>(query, [organizationId])).map(({ id }) => id);
  return {
    units: await of("SELECT id FROM units WHERE organization_id = $1 ORDER BY is_deleted, id DESC LIMIT 20"),
    todos: await of("SELECT id FROM todos WHERE organization_id = $1 ORDER BY is_deleted, id DESC LIMIT 20"),
    tickets: await of("SELECT id FROM tickets WHERE organization_id = $1"),
    members: await of("SELECT user_id AS id FROM memberships WHERE organization_id = $1"),
    events: await of("SELECT id FROM events WHERE organization_id = $1 LIMIT 20"),
    roles: await of("SELECT id FROM roles WHERE organization_id = $1"),
    "service-accounts": await of("SELECT id FROM service_accounts WHERE organization_id = $1"),
    keyId: await of(
      "SELECT k.id FROM api_keys k JOIN service_accounts s ON s.id = k.service_account_id AND s.organization_id = $1",
    ),
    invitations: await of("SELECT id FROM user_invitations WHERE organization_id = $1"),
    endpoints: await of("SELECT id FROM webhook_endpoints WHERE organization_id = $1"),
    "connected-apps": await of("SELECT id FROM oauth_grants WHERE organization_id = $1"),
  };
}

test(`after ${CALLS} random calls of an app, roles, members, keys, invitations, endpoints, clients and grants are unchanged`, async () => {
  let drawn = 0;
  const random = (below: number) => seedOf(SEED, drawn++) % below;
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;

  const org = await createOrganization(t);
  const [top, unit] = [await org.unit("Top"), await org.unit("Unit")];
  const member = await org.member({ role: "UNIT_ADMIN", unit });
  for (let count = 0; count < 3; count += 1) await report(member);
  await org.role("Clerk", "Todos.Read");
  await createMachine(org, { role: "MEMBER" });
  await createEndpoint(org.admin, "https://receiver.example.com/hook");
  const invitation = { email: uniqueEmail(), assignments: [{ roleId: roleId("MEMBER"), unitId: null }] };
  expectStatus(await org.admin.post("/api/members/invitations", invitation), 201);
  await insertGrant(t, { userId: idOf(member), organizationId: org.id, unitId: unit });
  const { accessToken } = await insertGrant(t, { userId: idOf(org.admin), organizationId: org.id });
  const app = useApp(t, accessToken);
  await relay(t);

  const bodies: Record<string, () => object> = {
    createUnit: () => ({ name: `Unit ${random(1_000)}`, parentId: pick([null, top, ...(ids.units ?? [])]) }),
    updateUnit: () => ({
      name: `Unit ${random(1_000)}`,
      ...(random(4) === 0 && { parentId: pick([null, top]) }),
    }),
    createTodo: () => ({ title: `Todo ${random(1_000)}` }),
    updateTodo: () => ({ title: `Todo ${random(1_000)}`, completed: random(2) === 0 }),
    replyToOrganizationTicket: () => ({ message: "Reply", internal: random(2) === 0 }),
    setOrganizationTicketStatus: () => ({ status: pick(["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"]) }),
  };
  let ids = await listIds(org.id);
  const pathOf = ({ path }: RouteDefinition) =>
    path.replaceAll(/(?<=\/([\w-]+)\/)\{(\w+)\}/g, (_, before: string, name: string) =>
      pick([...(ids[name] ?? []), ...(ids[before] ?? []), crypto.randomUUID()]),
    );
  const exampleOf = (route: RouteDefinition) =>
    (route.request?.body?.content as Record<string, { example?: object }> | undefined)?.["application/json"]
      ?.example ?? {};

  const callable = definitions.filter(({ access }) => access !== "public" && access !== "product");
  const [allowed, others] = [callable.filter(allowsApps), callable.filter((route) => !allowsApps(route))];
  const before = await authority();
  const worked = new Set<string>();
  for (let count = 0; count < CALLS; count += 1) {
    if (count % 50 === 0) ids = await listIds(org.id);
    const route = pick(random(5) === 0 ? others : allowed);
    const { operationId, method } = route;
    const body = bodies[operationId]?.() ?? exampleOf(route);
    const hasBody = method !== "get" && method !== "delete";
    const response = await app.send(method.toUpperCase(), pathOf(route), hasBody ? body : undefined);
    expect(response.status).toBeLessThan(500);
    if (response.status < 300) worked.add(operationId);
  }
  expect(await authority()).toEqual(before);
  expect(others.map(({ operationId }) => operationId).filter((name) => worked.has(name))).toEqual([]);
  const written = allowed.filter(({ method }) => method !== "get").map(({ operationId }) => operationId);
  expect(written.filter((name) => !worked.has(name))).toEqual([]);
});
