import { expect, test } from "bun:test";
import { deleteOldGrants, endGrantsBegunBefore } from "#sql/oauth-grants";
import { connectApp, DOCUMENT_APP, endOfGrant, type Settings, works } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { exportOf } from "../../support/personal-data.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Lists of connected apps and their revocation (rules 46.50 to 46.56). Grants are inserted. */

const t = await sharedService({ OAUTH_APPS: "any" });
const OWN = "/api/profile/connected-apps";
const OF_ORGANIZATION = "/api/organization/connected-apps";
const SELF = "/api/oauth/self";

const connect = (org: Organization, person: Caller, settings?: Settings) =>
  connectApp(t, org, person, settings);
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
const listed = async (who: Caller, query = "") =>
  expectStatus(await who.get(`${OF_ORGANIZATION}${query}`), 200).body;
const days = (count: number) => new Date(Date.now() + count * 86_400_000);
const db = { query: (text: string, values: unknown[]) => t.sql(text, values) };

test("people see their connected apps of all organizations, newest first, and disconnect one or all (AP40)", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const person = await org.member();
  await other.add(person, { role: "MEMBER" });
  const unit = await org.unit("Sales");
  const first = await connect(org, person, { unitId: unit, scopes: ["todos:read"], resource: "mcp" });
  const second = await connect(other, person);
  const stranger = await connect(org, org.admin);
  const { body } = expectStatus(await person.get(OWN), 200);
  expect(ids(body)).toEqual([second.grantId, first.grantId]);
  expect(body[1]).toEqual({
    id: first.grantId,
    client: { id: DOCUMENT_APP, name: "Agent", host: "agent.example.com", source: "document" },
    resource: "mcp",
    organization: { id: org.id, name: "Acme" },
    unit: { id: unit, name: "Sales" },
    scopes: ["todos:read"],
    readOnly: true,
    createdAt: expect.any(String),
    lastUsedAt: null,
    lastUsedIp: null,
    expiresAt: expect.any(String),
  });
  expect(outcome(await person.delete(`${OWN}/${stranger.grantId}`))).toBe("404 NOT_FOUND");
  for (let times = 0; times < 2; times += 1)
    expectStatus(await person.delete(`${OWN}/${first.grantId}`), 204);
  const revoked = await eventsIn(t, org, "CONNECTED_APP_REVOKED");
  expect(revoked).toMatchObject([
    { actor_id: idOf(person), target_id: first.grantId, metadata: { via: "person", userId: idOf(person) } },
  ]);
  expect(ids((await person.get(OWN)).body)).toEqual([second.grantId]);
  expectStatus(await person.delete(OWN), 204);
  expect((await person.get(OWN)).body).toEqual([]);
  expect(await works(t, second)).toBe(false);
  expect(await works(t, stranger)).toBe(true);
});

test("only what works is listed: not what was not redeemed, has expired, was idle for 30 days or has ended (46.50)", async () => {
  const org = await createOrganization(t);
  const used = await connect(org, org.admin, { redeemedAt: days(-40), lastUsedAt: days(-29) });
  const lasting = await connect(org, org.admin, { expiresAt: days(60) });
  const dead = [
    await connect(org, org.admin, { redeemedAt: null }),
    await connect(org, org.admin, { expiresAt: days(-1) }),
    await connect(org, org.admin, { redeemedAt: days(-31) }),
    await connect(org, org.admin, { redeemedAt: days(-60), lastUsedAt: days(-31) }),
  ];
  const shown = [lasting.grantId, used.grantId];
  const own = (await org.admin.get(OWN)).body;
  expect(ids(own)).toEqual(shown);
  expect((await listed(org.admin)).total).toBe(2);
  for (const { grantId } of dead)
    expect((await org.admin.get(`${OF_ORGANIZATION}/${grantId}`)).status).toBe(404);
  const [first, second] = own.map(({ expiresAt }: { expiresAt: string }) => Date.parse(expiresAt));
  for (const [time, expected] of [
    [first, days(30)],
    [second, days(1)],
  ] as const)
    expect(Math.abs(time - expected.getTime())).toBeLessThan(60_000);
});

test("an administrator searches, filters and sorts the connected apps of members", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const tool = "https://tool.example.net/client.json";
  const one = await connect(org, org.admin, { lastUsedAt: days(-1), expiresAt: days(9) });
  const two = await connect(org, person, { clientId: tool, clientName: "Ledger", expiresAt: days(5) });
  const three = await connect(org, person, { lastUsedAt: days(-2), expiresAt: days(7) });
  const all = [one, two, three].map(({ grantId }) => grantId);
  const idsOf = async (query: string) => {
    const { data, total } = await listed(org.admin, query);
    expect(total).toBe(data.length);
    return ids(data);
  };
  expect(await idsOf("")).toEqual(all.toReversed());
  expect(await idsOf("?sort=lastUsedAt&order=asc")).toEqual([two.grantId, three.grantId, one.grantId]);
  expect(await idsOf("?sort=expiresAt&order=asc")).toEqual([two.grantId, three.grantId, one.grantId]);
  for (const search of ["ledger", "tool.example"])
    expect(await idsOf(`?search=${search}`)).toEqual([two.grantId]);
  expect(await idsOf(`?search=${encodeURIComponent(person.email)}`)).toEqual([three.grantId, two.grantId]);
  expect(await idsOf(`?client=${encodeURIComponent(tool)}`)).toEqual([two.grantId]);
  expect(await idsOf(`?userId=${idOf(org.admin)}`)).toEqual([one.grantId]);
  expect(expectStatus(await org.admin.get(`${OF_ORGANIZATION}/${two.grantId}`), 200).body).toMatchObject({
    id: two.grantId,
    member: { userId: idOf(person), email: person.email, firstName: "Ada" },
  });
});

test("a unit administrator sees and ends the apps of members who are wholly inside, and the totals agree (AP41)", async () => {
  const org = await createOrganization(t);
  const top = await org.unit("Top");
  const [below, beside] = [await org.unit("Below", top), await org.unit("Beside")];
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: top });
  const inside = await org.member({ role: "MEMBER", unit: below });
  const partly = await org.member({ role: "MEMBER", unit: below }, { role: "MEMBER", unit: beside });
  const wide = await org.member({ role: "MEMBER", unit: below }, { role: "MEMBER" });
  const outside = await org.member({ role: "MEMBER", unit: beside });
  const mine = [await connect(org, unitAdmin), await connect(org, inside)] as const;
  const others = [];
  for (const person of [partly, wide, outside, org.admin]) others.push(await connect(org, person));
  const { data, total } = await listed(unitAdmin);
  expect(ids(data)).toEqual(mine.map(({ grantId }) => grantId).toReversed());
  expect(total).toBe(2);
  expect((await listed(unitAdmin, "?pageSize=1&page=2")).total).toBe(2);
  expect((await listed(org.admin)).total).toBe(6);
  for (const { grantId } of others) {
    expect(outcome(await unitAdmin.get(`${OF_ORGANIZATION}/${grantId}`))).toBe("404 NOT_FOUND");
    expect(outcome(await unitAdmin.delete(`${OF_ORGANIZATION}/${grantId}`))).toBe("404 NOT_FOUND");
  }
  const [, grant] = mine;
  for (let times = 0; times < 2; times += 1)
    expectStatus(await unitAdmin.delete(`${OF_ORGANIZATION}/${grant.grantId}`), 204);
  expect(await endOfGrant(t, grant)).toBe("organization");
  expect(await works(t, grant)).toBe(false);
  const { body: told } = await inside.get("/api/notifications");
  expect(told.data.map(({ type }: { type: string }) => type)).toContain("CONNECTED_APP_REVOKED");
  const { body: events } = await unitAdmin.get("/api/organization/audit-events?action=CONNECTED_APP_REVOKED");
  expect(events.data).toMatchObject([{ targetId: grant.grantId, metadata: { via: "organization" } }]);
});

test("an app reads its grant and what it may do now; sessions and keys find nothing there (AP13, 46.53)", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const scopes = ["todos:read", "members:read"];
  const { app: wide } = await connect(org, org.admin, { scopes });
  const { body } = expectStatus(await wide.get(SELF), 200);
  expect(body).toMatchObject({
    client: { id: DOCUMENT_APP },
    user: { id: idOf(org.admin), firstName: "Ada" },
    organization: { id: org.id, name: "Acme" },
    unit: null,
    scopes,
    unitGrants: [],
  });
  for (const name of body.permissions) expect(name).toMatch(/^(Members|Todos)\.Read/);
  expect(body.permissions).toContain("Members.Read");
  const { app: limited } = await connect(org, org.admin, { scopes, unitId: unit });
  expect((await limited.get(SELF)).body).toMatchObject({
    unit: { id: unit, name: "Sales" },
    permissions: [],
  });
  const machine = (await createMachine(org, { role: "ORG_ADMIN" })).caller;
  for (const who of [org.admin, machine]) expect(outcome(await who.get(SELF))).toBe("404 NOT_FOUND");
  for (const path of [OWN, OF_ORGANIZATION])
    expect(outcome(await wide.get(path))).toBe("403 APP_NOT_ALLOWED");
});

test("the export of an account has its connected apps without digests (AP55)", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const grant = await connect(org, person);
  const { files, text } = await exportOf(person);
  expect(files["connected-apps"]).toMatchObject([
    { id: grant.grantId, client: { id: DOCUMENT_APP }, organization: { id: org.id }, endedAt: null },
  ]);
  const hashes = await t.sql("SELECT token_hash FROM oauth_tokens WHERE grant_id = $1", [grant.grantId]);
  for (const { token_hash } of hashes) expect(text).not.toContain(token_hash);
});

test("a daily job deletes grants that were not redeemed, ended or expired long ago; a restore ends those begun before (AP58)", async () => {
  const org = await createOrganization(t);
  const kept = await connect(org, org.admin);
  const recent = await connect(org, org.admin);
  expectStatus(await org.admin.delete(`${OWN}/${recent.grantId}`), 204);
  const gone = [
    await connect(org, org.admin, { redeemedAt: null }),
    await connect(org, org.admin, { expiresAt: days(-91), redeemedAt: days(-92) }),
    await connect(org, org.admin),
  ];
  await t.sql("UPDATE oauth_grants SET created_at = now() - interval '25 hours' WHERE id = $1", [
    gone[0]?.grantId,
  ]);
  await t.sql(
    "UPDATE oauth_grants SET ended_at = now() - interval '91 days', end_reason = 'person' WHERE id = $1",
    [gone[2]?.grantId],
  );
  await deleteOldGrants.run({ max: 100 }, db);
  const left = "SELECT id FROM oauth_grants WHERE organization_id = $1 ORDER BY id";
  expect(ids(await t.sql(left, [org.id]))).toEqual([kept.grantId, recent.grantId]);
  const time = new Date();
  await t.sql("UPDATE oauth_grants SET created_at = now() - interval '1 hour' WHERE id = $1", [kept.grantId]);
  await Bun.sleep(5);
  const later = await connect(org, org.admin);
  await endGrantsBegunBefore.run({ time }, db);
  expect([await works(t, kept), await works(t, later)]).toEqual([false, true]);
  expect(await endOfGrant(t, kept)).toBe("restored");
  expect(await t.sql("SELECT FROM oauth_tokens WHERE grant_id = $1", [kept.grantId])).toEqual([]);
});
