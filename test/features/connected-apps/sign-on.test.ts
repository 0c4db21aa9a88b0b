import { expect, test } from "bun:test";
import { refreshFields, token } from "../../support/app-codes.ts";
import {
  approvedBy,
  beginAs,
  endOfGrant,
  type Grant,
  grantsOf,
  insertClient,
  insertGrant,
  queryOf,
  works,
} from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { CONNECTIONS } from "../../support/connections.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { insertConnection, proveBy, setPolicy } from "../../support/sign-on.ts";

/* Connected apps while the policy of an organization binds their person to single sign-on (rules 46.50). */

const t = await sharedService();
const client = await insertClient(t);

/** Inserts a grant of a person, approved by the account's own proof or by one of a connection. */
async function granted(person: Caller, { id }: Organization, connectionId: string | null): Promise<Grant> {
  const grant = await insertGrant(t, { userId: idOf(person), organizationId: id, oauthClientId: client });
  await t.sql("UPDATE oauth_grants SET connection_id = $2 WHERE id = $1", [grant.grantId, connectionId]);
  return grant;
}

/** An organization with a connection, by which the session of a member is proven. */
async function proven() {
  const organization = await createOrganization(t);
  const member = await organization.member();
  const connectionId = await insertConnection(t, organization);
  await proveBy(t, member, connectionId);
  return { organization, member, connectionId };
}

test("an app that was approved without single sign-on does not work while it is asked of its person, and works again afterwards", async () => {
  const { organization, member, connectionId } = await proven();
  const [own, byConnection] = [
    await granted(member, organization, null),
    await granted(member, organization, connectionId),
  ];
  const bothWork = async () => [await works(t, own), await works(t, byConnection)];
  expect(await bothWork()).toEqual([true, true]);
  await setPolicy(t, organization, { scope: "everyone" });
  expect(await bothWork()).toEqual([false, true]);
  expect((await token(t, refreshFields(own.refreshToken, { client_id: client }))).body.error).toBe(
    "invalid_grant",
  );
  const listed = expectStatus(await member.get("/api/profile/connected-apps"), 200).body;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([byConnection.grantId]);
  const off = await startService({ OAUTH: "on", SSO: "off" }, { databaseUrl: t.databaseUrl });
  expect(await works(off, own)).toBe(true);

  await t.sql("INSERT INTO break_glass_members (organization_id, user_id) VALUES ($1, $2)", [
    organization.id,
    idOf(member),
  ]);
  expect(await works(t, own)).toBe(true);
  await t.sql("DELETE FROM break_glass_members WHERE user_id = $1", [idOf(member)]);
  expect(await works(t, own)).toBe(false);
  await setPolicy(t, organization, { scope: "off" });
  expect(await bothWork()).toEqual([true, true]);
  expectStatus(await token(t, refreshFields(own.refreshToken, { client_id: client })), 200);
});

test("a grant keeps the connection by whose proof the session acts", async () => {
  const { organization, member, connectionId } = await proven();
  const choice = { organizationId: organization.id };
  const approve = async () => approvedBy(member, await beginAs(member, queryOf(client)), choice);
  await approve();
  await proveBy(t, member, connectionId, { minutesAgo: 25 * 60 });
  await approve();
  await setPolicy(t, organization, { hours: 26 });
  await approve();
  await t.sql("UPDATE sso_connections SET status = 'DISABLED' WHERE id = $1", [connectionId]);
  await approve();
  const grants = await grantsOf(t, member);
  expect(grants.map(({ connection_id }) => connection_id)).toEqual([connectionId, null, connectionId, null]);
});

test("a grant by a connection ends with the identity, and with the connection", async () => {
  const ENDS = [
    (admin: Caller, id: string, member: Caller) =>
      admin.delete(`${CONNECTIONS}/${id}/identities/${idOf(member)}`),
    (admin: Caller, id: string) => admin.delete(`${CONNECTIONS}/${id}`),
  ];
  for (const end of ENDS) {
    const { organization, member, connectionId } = await proven();
    const [own, byConnection] = [
      await granted(member, organization, null),
      await granted(member, organization, connectionId),
    ];
    expectStatus(await end(organization.admin, connectionId, member), 204);
    expect([await endOfGrant(t, own), await endOfGrant(t, byConnection)]).toEqual([null, "identity"]);
    expect([await works(t, own), await works(t, byConnection)]).toEqual([true, false]);
    const [event] = await t.sql(
      `SELECT metadata FROM audit_events WHERE organization_id = $1 AND action IN ('SSO_IDENTITY_REMOVED', 'CONNECTION_DELETED')`,
      [organization.id],
    );
    expect(event?.metadata).toMatchObject({ endedApps: 1 });
  }
});
