import { describe, expect, test } from "bun:test";
import { connectApp, DOCUMENT_APP, endOfGrant, type Grant, insertClient, works } from "../../support/apps.ts";
import { EVENTS } from "../../support/audit.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { messages, outcome } from "../../support/outcomes.ts";
import { eventsOf } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { stale } from "../../support/sessions.ts";

/* Grants and clients are inserted: how people approve apps is tested elsewhere. */

const t = await startService({ REAUTHENTICATION_MINUTES: "10", REAUTHENTICATION_FOR: "authority" });
const database = { databaseUrl: t.databaseUrl };
const open = await startService({ OAUTH_APPS: "any" }, database);
const off = await startService({ OAUTH: "off" }, database);
const ORGANIZATION = "/api/organization";

const set = (org: Organization, connectedApps: string | null) =>
  org.admin.patch(ORGANIZATION, { connectedApps });

const grantOf = async (org: Organization, oauthClientId: string | null = null) =>
  connectApp(t, org, await org.member(), { oauthClientId });

describe("which apps work", () => {
  const SOURCES = ["document", "operator", "own", "other"] as const;
  const EXPECTED: Record<string, string> = {
    off: "",
    approved: "operator own",
    any: "document operator own",
  };

  test.each(Object.keys(EXPECTED))("with the policy %s (46.34, AP29)", async (policy) => {
    const [org, other] = [await createOrganization(t), await createOrganization(t)];
    expectStatus(await set(org, policy), 200);
    const clients = [
      null,
      await insertClient(t),
      await insertClient(t, { organizationId: org.id }),
      await insertClient(t, { organizationId: other.id }),
    ];
    const grants = await Promise.all(clients.map((client) => grantOf(org, client)));
    const working = await Promise.all(grants.map((grant) => works(t, grant)));
    expect(SOURCES.filter((_, index) => working[index]).join(" ")).toBe(EXPECTED[policy] ?? "");
  });

  test("without a policy of its own, that of the operator holds", async () => {
    const org = await createOrganization(t);
    const grant = await grantOf(org);
    expect([await works(t, grant), await works(open, grant)]).toEqual([false, true]);
    const shown = async ({ url }: { url: string }) =>
      (await org.admin.at(url).get(ORGANIZATION)).body.connectedApps;
    expect([await shown(t), await shown(open)]).toEqual(["approved", "any"]);
    expectStatus(await set(org, "off"), 200);
    expect([await shown(t), await shown(open)]).toEqual(["off", "off"]);
    expect(expectStatus(await set(org, null), 200).body.connectedApps).toBe("approved");
  });
});

describe("a narrower policy", () => {
  /** Expects that grants ended on both instances, and that no wider policy revives them. */
  async function expectEnded(org: Organization, grants: Grant[]) {
    for (const grant of grants) {
      expect([await works(t, grant), await works(open, grant)]).toEqual([false, false]);
      expect(await endOfGrant(t, grant)).toBe("policy");
    }
    expectStatus(await set(org, "any"), 200);
    for (const grant of grants)
      expect([await works(t, grant), await works(open, grant)]).toEqual([false, false]);
  }

  test("ends at once what it does not cover, and nothing else (46.36, AP31)", async () => {
    const org = await createOrganization(t);
    expectStatus(await set(org, "any"), 200);
    const [document, registered] = [
      await grantOf(org),
      await grantOf(org, await insertClient(t, { organizationId: org.id })),
    ];
    const unredeemed = await connectApp(t, org, org.admin, { redeemedAt: null });
    const stranger = await createOrganization(t);
    expectStatus(await set(stranger, "any"), 200);
    const elsewhere = await grantOf(stranger);
    expectStatus(await set(org, "approved"), 200);
    expect([await works(t, registered), await works(open, registered)]).toEqual([true, true]);
    expect(await endOfGrant(t, unredeemed)).toBe("policy");
    await expectEnded(org, [document]);
    expectStatus(await set(org, "off"), 200);
    await expectEnded(org, [registered]);
    expect(await works(t, elsewhere)).toBe(true);
  });

  test("is audited with the policies before and after, and with how many apps ended (46.37)", async () => {
    const org = await createOrganization(t);
    expectStatus(await set(org, "any"), 200);
    const grants = [await grantOf(org), await grantOf(org)];
    expectStatus(await org.admin.patch(ORGANIZATION, { connectedApps: null, name: "Acme Two" }), 200);
    expectStatus(await set(org, "approved"), 200);
    expectStatus(await set(org, "approved"), 200);
    const { data } = (await org.admin.get(`${EVENTS}?action=ORGANIZATION_UPDATED&order=asc`)).body;
    expect(data.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
      { from: { connectedApps: null }, to: { connectedApps: "any" } },
      {
        from: { name: "Acme", connectedApps: "any" },
        to: { name: "Acme Two", connectedApps: null },
        endedApps: 2,
      },
      { from: { connectedApps: null }, to: { connectedApps: "approved" } },
    ]);
    await expectEnded(org, grants);
  });

  test("keeps what the operator or the organization approved", async () => {
    const approving = await startService({ OAUTH_APPROVED_APPS: "agent.example.com" }, database);
    const org = await createOrganization(t);
    expectStatus(await set(org, "any"), 200);
    const grant = await grantOf(org);
    const admin = org.admin.at(approving.url);
    expectStatus(await admin.patch(ORGANIZATION, { connectedApps: "approved" }), 200);
    expect([await works(approving, grant), await endOfGrant(t, grant)]).toEqual([true, null]);
    expectStatus(await org.admin.post("/api/organization/approved-apps", { app: DOCUMENT_APP }), 201);
    expectStatus(await set(org, "any"), 200);
    expectStatus(await set(org, "approved"), 200);
    expect(await works(t, grant)).toBe(true);
  });

  test("set several times at once leaves no grant alive, and counts each once", async () => {
    const org = await createOrganization(t);
    expectStatus(await set(org, "any"), 200);
    const grants = await Promise.all(Array.from({ length: 5 }, () => grantOf(org)));
    const changes = await Promise.all([set(org, "off"), set(org, "approved"), set(org, "off")]);
    for (const change of changes) expectStatus(change, 200);
    const { data } = (await org.admin.get(`${EVENTS}?action=ORGANIZATION_UPDATED`)).body;
    const counts = data.map(({ metadata }: { metadata: { endedApps?: number } }) => metadata.endedApps ?? 0);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(grants.length);
    await expectEnded(org, grants);
  });
});

describe("changing the policy", () => {
  test("is an event for other systems, with the policy before", async () => {
    const org = await createOrganization(t);
    const [changed] = await eventsOf(t, org.admin, () => set(org, "any"));
    expect(changed).toMatchObject({
      type: "organization.updated",
      data: { object: { connectedApps: "any" }, previous: { connectedApps: "approved" } },
    });
  });

  test("needs the permission, a recent proof and a known word", async () => {
    const org = await createOrganization(t);
    expect(outcome(await (await org.member()).patch(ORGANIZATION, { connectedApps: "any" }))).toBe(
      "403 FORBIDDEN",
    );
    for (const bad of ["some", "", 1, true, ["any"]])
      expectStatus(await org.admin.patch(ORGANIZATION, { connectedApps: bad }), 400);
    const old = await stale(t, org.admin);
    expect(outcome(await old.patch(ORGANIZATION, { connectedApps: "any" }))).toBe(
      "403 REAUTHENTICATION_REQUIRED",
    );
    expect(outcome(await old.patch(ORGANIZATION, { connectedApps: null }))).toBe(
      "403 REAUTHENTICATION_REQUIRED",
    );
    expectStatus(await old.patch(ORGANIZATION, { name: "Acme Two" }), 200);
  });

  test("is not possible while nobody may connect apps", async () => {
    const org = await createOrganization(t);
    const grant = await grantOf(org, await insertClient(t, { organizationId: org.id }));
    expectStatus(await set(org, "any"), 200);
    const admin = org.admin.at(off.url);
    expect((await admin.get(ORGANIZATION)).body.connectedApps).toBe("off");
    const MESSAGE = "connectedApps cannot be changed on this service";
    for (const connectedApps of ["off", "any", null])
      expect(messages(await admin.patch(ORGANIZATION, { connectedApps }))).toEqual([MESSAGE]);
    expect(messages(await admin.patch(ORGANIZATION, { connectedApps: "any", name: "" })).length).toBe(2);
    expectStatus(await admin.patch(ORGANIZATION, { name: "Acme Two" }), 200);
    // Turned on again, what has not ended works again.
    expect([await works(off, grant), await works(t, grant)]).toEqual([false, true]);
    expect((await org.admin.get(ORGANIZATION)).body.connectedApps).toBe("any");
  });
});
