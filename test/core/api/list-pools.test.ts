import { expect, test } from "bun:test";
import { readLimitOf } from "../../../src/core/api/route.ts";
import type { Caller } from "../../support/caller.ts";
import { report } from "../../support/helpdesk.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { statementsOf } from "../../support/pool-statements.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { connect } from "../../support/sso.ts";
import { createEndpoint, LOCAL } from "../../support/webhooks.ts";

const t = await startService(LOCAL);
const org = await createOrganization(t);
const unit = await org.unit("Europe");
const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
const platformAdmin = await t.platformAdmin();
const ticket = await report(org.admin);
const machine = await createMachine(org, { role: "MEMBER" });
const endpoint = await createEndpoint(org.admin, "https://receiver.example.com/");
const connection = await connect(t, org, { issuer: "https://login.example.com" });

const app = { name: "Reporting", redirectUris: ["https://app.example.com/callback"] };
const ownApp = expectStatus(await org.admin.post("/api/organization/oauth-clients", app), 201).body;
const operatorsApp = expectStatus(await platformAdmin.post("/api/oauth-clients", app), 201).body;
const roles = expectStatus(await org.admin.get("/api/roles"), 200).body.data as {
  id: string;
  name: string;
}[];

/** The record for the parameter of a path, by a part of the path. */
const RECORDS = {
  tickets: ticket.id,
  webhooks: endpoint.id,
  connections: connection.id,
  "organization/oauth-clients": ownApp.id,
  "oauth-clients": operatorsApp.id,
};
/** The bodies of lists that are read by POST. */
const BODIES: Record<string, unknown> = {
  "/api/organization/mappings/preview": {
    connectionId: connection.id,
    group: "engineering",
    roleId: roles.find(({ name }) => name === "MEMBER")?.id,
    unitId: null,
  },
};

const lists = definitions.filter((definition) => readLimitOf(definition) === "list");

const callersOf = (path: string): Caller[] =>
  path.startsWith("/api/support") ? [org.admin] : [org.admin, unitAdmin, platformAdmin];
const QUERIES: Record<string, string> = { "/api/oauth/unit-options": `?organizationId=${org.id}` };
const pathOf = (path: string) =>
  (path + (QUERIES[path] ?? ""))
    .replace("{userId}", idOf(org.admin))
    .replace("{id}", Object.entries(RECORDS).find(([word]) => path.includes(word))?.[1] ?? machine.id);

test("reads of one record whose cost depends on the data of an organization count as lists", () => {
  const names = lists.map(({ operationId }) => operationId);
  expect(names).toEqual(
    expect.arrayContaining([
      ...["getMember", "getTicket", "getOrganizationAuditProof", "getAuditProof"],
      ...["getConnection", "previewSsoMapping", "getOAuthClient", "getPlatformOAuthClient", "getBilling"],
    ]),
  );
});

test.each(lists.map(({ path }) => path))(
  "%s: nothing of a list runs on the pool of fast reads, which all organizations share",
  async (path) => {
    let served = 0;
    for (const caller of callersOf(path)) {
      const statements = await statementsOf(t, async () => {
        const body = BODIES[path];
        const { status } = await (body === undefined
          ? caller.get(pathOf(path))
          : caller.post(pathOf(path), body));
        if (status === 200) served += 1;
      });
      expect(statements.filter(({ pool }) => pool === "reads").map(({ text }) => text)).toEqual([]);
    }
    expect(served).toBeGreaterThan(0);
  },
);
