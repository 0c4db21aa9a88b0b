import { expect, test } from "bun:test";
import { AppDocuments } from "../../support/app-documents.ts";
import { approveAs, askedFounder, beginAs, insertClient, queryOf } from "../../support/apps.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { insertConnection, setPolicy } from "../../support/sign-on.ts";

/* Where a person may allow an app something (rules 46.7, 46.8). */

const t = await sharedService();
const instance = (overrides: Record<string, string>) =>
  startService({ OAUTH: "on", ...overrides }, { databaseUrl: t.databaseUrl });
const client = await insertClient(t);
const documents = await AppDocuments.start();

/** What the page and an approval say of one organization. */
async function judged(person: Caller, clientId: string, { id }: Organization, url = t.url) {
  const caller = person.at(url);
  const shown = await beginAs(caller, queryOf(clientId));
  const found = shown.organizations.find((one: { id: string }) => one.id === id);
  const response: ApiResponse = await approveAs(caller, shown, { organizationId: id });
  return [found.allowed, found.reason, outcome(response)];
}

test("page and approval agree on every policy and client (46.7, AP29)", async () => {
  const organization = await createOrganization(t);
  const person = organization.admin;
  const other = await createOrganization(t);
  const own = await insertClient(t, { organizationId: organization.id });
  const foreign = await insertClient(t, { organizationId: other.id });
  const { id: described } = documents.publish();
  const judge = (clientId: string, at: { url: string } = t) => judged(person, clientId, organization, at.url);
  const set = (policy: string | null) =>
    t.sql("UPDATE organizations SET connected_apps = $2 WHERE id = $1", [organization.id, policy]);
  const refused = (reason: string) => [false, reason, "403 CLIENT_NOT_APPROVED"];
  const good = [true, null, "200"];
  for (const policy of ["off", "approved", "any", null]) {
    await set(policy);
    const expected = policy === "off" ? refused("off") : good;
    expect([policy, await judge(client)]).toEqual([policy, expected]);
    expect([policy, await judge(own)]).toEqual([policy, expected]);
    expect([policy, await judge(foreign)]).toEqual([policy, refused("other-organization")]);
    const ofDocument = policy === "off" || policy === "any" ? expected : refused("not-approved");
    expect([policy, await judge(described)]).toEqual([policy, ofDocument]);
  }
  expect(await judge(own, await instance({ OAUTH_APPS: "off" }))).toEqual(refused("off"));
  const blocking = await instance({ OAUTH_BLOCKED_APPS: described });
  await set("any");
  expect(await judge(described, blocking)).toEqual(refused("not-approved"));
  await set("approved");
  expect(await judge(described, await instance({ OAUTH_APPROVED_APPS: described }))).toEqual(good);
  const approved = "INSERT INTO oauth_approved_apps (organization_id, app) VALUES ($1, $2)";
  await t.sql(approved, [organization.id, described]);
  expect([await judge(described), await judge(described, blocking)]).toEqual([good, refused("not-approved")]);
});

test("page and approval agree on what the session lacks; what a proof lifts is allowed on the page (46.7)", async () => {
  const organization = await createOrganization(t);
  const person = await organization.member();
  await insertConnection(t, organization);
  const judgedWith = async (policy: Parameters<typeof setPolicy>[2]) => {
    await setPolicy(t, organization, policy);
    return judged(person, client, organization);
  };
  expect(await judgedWith({ scope: "everyone" })).toEqual([false, "session", "403 SSO_REQUIRED"]);
  expect(await judgedWith({ two_factor: true })).toEqual([false, "session", "403 TWO_FACTOR_REQUIRED"]);
  expect(await judgedWith({})).toEqual([true, null, "200"]);
});

test("an app that was disabled or deleted after the page is not approved (46.7)", async () => {
  for (const column of ["is_enabled = false", "is_deleted = true"]) {
    const registered = await insertClient(t);
    const { organization, person, shown } = await askedFounder(t, registered);
    await t.sql(`UPDATE oauth_clients SET ${column} WHERE id = $1`, [registered]);
    expect(outcome(await approveAs(person, shown, { organizationId: organization.id }))).toBe(
      "403 CLIENT_NOT_APPROVED",
    );
  }
});

test("an app can be limited to a unit in which the person holds something (46.8)", async () => {
  const organization = await createOrganization(t);
  const top = await organization.unit("Europe");
  const own = await organization.unit("Lisbon", top);
  const below = await organization.unit("Sales", own);
  const foreign = await organization.unit("Athens", top);
  const gone = await organization.unit("Gone", top);
  await t.sql("UPDATE units SET is_deleted = true, deleted_at = now() WHERE id = $1", [gone]);
  const member = await organization.member({ role: "UNIT_ADMIN", unit: own });
  const shown = await beginAs(member, queryOf(client));
  const outcomes = async (person: Caller, unitId: string | null, scopes?: string[]) => {
    const request = await beginAs(person, queryOf(client));
    const choice = { organizationId: organization.id, unitId, ...(scopes && { scopes }) };
    return outcome(await approveAs(person, request, choice));
  };
  for (const unitId of [own, below, top, null]) expect(await outcomes(member, unitId)).toBe("200");
  expect(await outcomes(member, foreign)).toBe("403 UNIT_FORBIDDEN");
  for (const unitId of [gone, crypto.randomUUID()]) {
    const refused = await approveAs(member, shown, { organizationId: organization.id, unitId });
    expect(messages(refused)).toEqual(["unitId must be an existing unit"]);
  }
  // What is held for the whole organization only gives nothing in a unit, and a unit administrator does not hold it anywhere.
  expect(await outcomes(member, own, ["billing:read"])).toBe("403 PERMISSION_NOT_HELD");
  expect(await outcomes(organization.admin, own, ["billing:read"])).toBe("403 PERMISSION_NOT_HELD");
  expect(await outcomes(organization.admin, null, ["billing:read"])).toBe("200");
  const plain = await organization.member();
  expect(await outcomes(plain, null, ["audit:read"])).toBe("403 PERMISSION_NOT_HELD");
  expect(await outcomes(plain, foreign, ["todos:read"])).toBe("200");
});

test("the page lists every organization with the scopes of which the person holds something there (46.7)", async () => {
  const first = await createOrganization(t, "Beta");
  const person = first.admin;
  const second = await createOrganization(t, "Alpha");
  const unit = await second.unit("Lisbon");
  const role = await second.role("Reader", "Billing.Read", "Units.Read");
  await second.add(person, { role, unit });
  const deleted = await createOrganization(t, "Deleted");
  await deleted.add(person);
  await t.sql("UPDATE organizations SET is_deleted = true WHERE id = $1", [deleted.id]);
  const { organizations } = await beginAs(person, queryOf(client, { scope: "units:read billing:read" }));
  expect(organizations).toMatchObject([
    { id: second.id, name: "Alpha", current: false, scopes: ["units:read"] },
    { id: first.id, name: "Beta", current: true, scopes: ["units:read", "billing:read"] },
  ]);
});

test("units to which an app can be limited are those in which the person holds something (46.8)", async () => {
  const organization = await createOrganization(t);
  const europe = await organization.unit("Europe");
  const lisbon = await organization.unit("Lisbon", europe);
  const sales = await organization.unit("Sales 10", lisbon);
  const second = await organization.unit("Sales 9", lisbon);
  await organization.unit("Athens", europe);
  const role = await organization.role("Whole", "Billing.Read");
  const member = await organization.member(
    { role: "UNIT_ADMIN", unit: lisbon },
    // Only for the whole organization, so nothing in a unit.
    { role, unit: europe },
  );
  const options = async (person: Caller, query = "") => {
    const path = `/api/oauth/unit-options?organizationId=${organization.id}&${query}`;
    return expectStatus(await person.get(path), 200).body;
  };
  expect(await options(member)).toEqual([
    { id: lisbon, name: "Lisbon", path: "Europe / Lisbon" },
    { id: second, name: "Sales 9", path: "Europe / Lisbon / Sales 9" },
    { id: sales, name: "Sales 10", path: "Europe / Lisbon / Sales 10" },
  ]);
  expect(await options(member, "search=SALES%201")).toMatchObject([{ id: sales }]);
  expect(await options(member, "search=athens")).toEqual([]);
  expect((await options(organization.admin)).map(({ name }: { name: string }) => name)).toEqual([
    "Europe",
    "Athens",
    "Lisbon",
    "Sales 9",
    "Sales 10",
  ]);
  for (let count = 0; count < 60; count += 1) await organization.unit(`Unit ${count}`);
  expect(await options(organization.admin)).toHaveLength(50);

  const stranger = await t.person();
  const admin = await t.platformAdmin();
  for (const person of [stranger, admin])
    for (const id of [organization.id, crypto.randomUUID()])
      expect(outcome(await person.get(`/api/oauth/unit-options?organizationId=${id}`))).toBe(
        "403 NOT_A_MEMBER",
      );
  expect(outcome(await member.get("/api/oauth/unit-options"))).toBe("400 VALIDATION_FAILED");
  expect(
    outcome(
      await member.get(`/api/oauth/unit-options?organizationId=${organization.id}`, actingIn(organization)),
    ),
  ).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
});
