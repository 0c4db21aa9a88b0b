import { expect, test } from "bun:test";
import { digestOf } from "../../../src/features/audit/chain.ts";
import { recordOf } from "../../../src/features/audit/record.ts";
import { connectApp, DOCUMENT_APP } from "../../support/apps.ts";
import {
  ALL_EVENTS,
  type AuditEvent,
  allEvents,
  EVENTS,
  eventPage,
  writeEvent,
} from "../../support/audit.ts";
import { seal, tamper, verify } from "../../support/audit-chains.ts";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";

const t = await sharedService({ OAUTH_APPS: "any" });
/** Seals hold for all events of a database, so that of other files is not changed. */
const own = await startService({ OAUTH_APPS: "any" });

const connect = (org: Organization, person?: Caller, unitId: string | null = null) =>
  connectApp(t, org, person, { unitId, clientName: "Claude Code" });

const createUnit = async (caller: Caller, name: string): Promise<string> =>
  expectStatus(await caller.post("/api/units", { name, parentId: null }), 201).body.id;
const rename = async (caller: Caller, id: string, name: string) =>
  expectStatus(await caller.patch(`/api/units/${id}`, { name }), 200);

test("the events of an app's changes have the person as actor and the app as client (rules 46.70)", async () => {
  const org = await createOrganization(t);
  const { grantId, app } = await connect(org);
  const unit = await createUnit(app, "Sales");
  await rename(app, unit, "Trade");
  await rename(org.admin, unit, "Shop");
  expectStatus(await app.delete(`/api/units/${unit}`), 204);
  const events = (await allEvents(org.admin, `targetId=${unit}&order=asc`)).map(
    ({ action, actorId, actorType, client }) => ({ action, actorId, actorType, client }),
  );
  const client = { id: DOCUMENT_APP, name: "Claude Code", grantId };
  const actor = { actorId: idOf(org.admin), actorType: "user" as const };
  expect(events).toEqual([
    { action: "UNIT_CREATED", ...actor, client },
    { action: "UNIT_UPDATED", ...actor, client },
    { action: "UNIT_UPDATED", ...actor, client: null },
    { action: "UNIT_DELETED", ...actor, client },
  ]);
});

test("`grantId` finds the events of one connected app in the lists, the histogram and the exports", async () => {
  const org = await createOrganization(t);
  const [one, other] = [await connect(org), await connect(org)];
  const unit = await createUnit(one.app, "Sales");
  await rename(other.app, unit, "Trade");
  await rename(org.admin, unit, "Shop");
  const query = `grantId=${one.grantId}`;
  expect((await allEvents(org.admin, query)).map(({ action }) => action)).toEqual(["UNIT_CREATED"]);
  const admin = await t.platformAdmin();
  const everywhere = await allEvents(admin, query, { path: ALL_EVENTS });
  expect(everywhere.map(({ client }) => client?.grantId)).toEqual([one.grantId]);
  const { data } = expectStatus(await org.admin.get(`${EVENTS}/histogram?${query}`), 200).body;
  expect(data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(1);
  expect((await allEvents(org.admin, `grantId=${crypto.randomUUID()}`)).length).toBe(0);
  const lines: string = expectStatus(
    await org.admin.get(`${EVENTS}/export?${query}&format=ndjson`),
    200,
  ).body;
  const exported: AuditEvent[] = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(exported).toEqual((await eventPage(org.admin, query)).data);
});

test("an export as CSV has the client id and the grant in its last columns, empty without an app", async () => {
  const org = await createOrganization(t);
  const { grantId, app } = await connect(org);
  const unit = await createUnit(app, "Sales");
  await rename(org.admin, unit, "Trade");
  const path = `${EVENTS}/export?format=csv&order=asc&targetId=${unit}`;
  const [head, ...rows] = (expectStatus(await org.admin.get(path), 200).body as string).trim().split("\r\n");
  const ends = (row = "") => row.split(",").slice(-3);
  expect(ends(head)).toEqual(['"product"', '"clientId"', '"grantId"']);
  expect(rows.map(ends)).toEqual([
    ['"false"', `"${DOCUMENT_APP}"`, `"${grantId}"`],
    ['"false"', '""', '""'],
  ]);
});

test("no cell of an export begins a formula after a semicolon, also where an app chose its client id", async () => {
  const org = await createOrganization(t);
  const clientId = "https://agent.example.com/;=SUM(1,1);-2;a";
  const { app } = await connectApp(t, org, org.admin, { clientId });
  const unit = await createUnit(app, "Sales");
  const { body } = await org.admin.get(`${EVENTS}/export?format=csv&targetId=${unit}`);
  expect(body).toContain(`"https://agent.example.com/;'=SUM(1,1);'-2;a"`);
});

test("seals verify over events with and without an app; a changed app is reported, and so is an added one (rules 46.71)", async () => {
  const org = await createOrganization(own);
  const { app } = await connectApp(own, org);
  const unit = await createUnit(org.admin, "Before");
  await seal(own);
  await rename(app, unit, "By an app");
  await rename(org.admin, unit, "After");
  await seal(own);
  expect((await verify(own, org)).code).toBe(0);
  const [after, byApp] = (await allEvents(org.admin, `targetId=${unit}`)).map(({ id }) => id);
  await tamper(
    own,
    `UPDATE audit_events SET client_name = 'Another' WHERE id = '${byApp}'`,
    `UPDATE audit_events SET grant_id = '${crypto.randomUUID()}' WHERE id = '${after}'`,
  );
  expect((await verify(own, org)).named).toEqual({ [byApp ?? ""]: "changed", [after ?? ""]: "changed" });
});

test("the record of an event without an app is as before apps existed, so old digests stay valid", () => {
  const event = {
    id: "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e",
    time: new Date("2026-01-31T09:30:00Z"),
    action: "UNIT_CREATED",
    actorId: null,
    targetType: "unit",
    targetId: null,
    organizationId: null,
    metadata: { name: "Sales" },
    ip: null,
    requestId: null,
    subjectUserId: null,
    subjectUnitIds: [],
    isAboveUnits: false,
    mentionedUnitIds: null,
    actorType: null,
    apiKeyId: null,
    isProduct: false,
    clientId: null,
    clientName: null,
    grantId: null,
  };
  const none = { digests: new Map(), emails: new Map(), typed: new Map() };
  const record = recordOf(event, none);
  expect(Object.keys(record)).not.toContain("clientId");
  // Computed by the version before.
  expect(digestOf(record)).toBe("5c5a3fcb23a711689581b01c15bdef59ce1e5ed4a4d397229e656c9e44e9a4c8");
});

test("administrators of a unit see what apps of its members did, and what happened to the apps of its members", async () => {
  const org = await createOrganization(t);
  const [unit, elsewhere] = [await org.unit("Inside"), await org.unit("Outside")];
  const viewer = await org.member({ role: "UNIT_ADMIN", unit });
  const inside = await org.member({ role: "UNIT_ADMIN", unit });
  const outside = await org.member({ role: "UNIT_ADMIN", unit: elsewhere });
  const { grantId, app } = await connect(org, inside, unit);
  const child = expectStatus(await app.post("/api/units", { name: "Child", parentId: unit }), 201).body.id;
  const [seen] = (await eventPage(viewer, `targetId=${child}`)).data;
  expect(seen?.client?.grantId).toBe(grantId);

  const about = (person: Caller) => ({
    actorId: idOf(inside),
    target: { type: "connected_app" as const, id: crypto.randomUUID(), personId: idOf(person) },
    metadata: { clientId: DOCUMENT_APP, name: "Agent", userId: idOf(person), via: "organization" },
  });
  const above = { actorId: idOf(inside), metadata: { name: "Reporting" } };
  const shown = await writeEvent(t, org, about(inside), "CONNECTED_APP_REVOKED");
  const hidden = [
    await writeEvent(t, org, about(outside), "CONNECTED_APP_REVOKED"),
    await writeEvent(
      t,
      org,
      { ...above, target: { type: "oauth_client", id: crypto.randomUUID() } },
      "OAUTH_CLIENT_DELETED",
    ),
    await writeEvent(
      t,
      org,
      { ...above, target: { type: "approved_app", id: crypto.randomUUID() }, metadata: { app: "claude.ai" } },
      "APPROVED_APP_ADDED",
    ),
  ];
  const requests = (events: AuditEvent[]) =>
    events.map(({ requestId }) => requestId).filter((id) => id === shown || hidden.includes(id ?? ""));
  expect(requests(await allEvents(viewer))).toEqual([shown]);
  expect(requests(await allEvents(org.admin)).sort()).toEqual([shown, ...hidden].sort());
});

test("an app that is limited to a unit sees its person's own actions elsewhere no more than those of others (rules 46.21)", async () => {
  const org = await createOrganization(t);
  const inside = await createUnit(org.admin, "Inside");
  const outside = await createUnit(org.admin, "Outside");
  await rename(await org.member({ role: "UNIT_ADMIN", unit: inside }), inside, "Renamed");
  await rename(await org.member({ role: "UNIT_ADMIN", unit: outside }), outside, "Elsewhere");
  const targetsFor = async (who: Caller) => {
    const { data, total } = await eventPage(who, "pageSize=100&targetType=unit");
    expect(total).toBe(data.length);
    return data.map(({ targetId }) => targetId).sort();
  };
  const limited = (await connect(org, org.admin, inside)).app;
  expect(await targetsFor(limited)).toEqual([inside]);
  expect(await targetsFor((await connect(org)).app)).toEqual(await targetsFor(org.admin));
  const person = await org.member({ role: "ORG_ADMIN" });
  const own = await createUnit(person, "Own");
  const roles = assignments({ role: "UNIT_ADMIN", unit: inside });
  expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/roles`, roles), 200);
  const shownTo = async (unitId: string | null) => {
    const { app } = await connect(org, person, unitId);
    const { activity } = expectStatus(await app.get("/api/organization/overview"), 200).body;
    return activity.map(({ targetId }: AuditEvent) => targetId);
  };
  // Both hold the same at this moment, and what the first reads is kept for a minute.
  expect(await shownTo(null)).toContain(own);
  expect(await shownTo(inside)).not.toContain(own);
});
