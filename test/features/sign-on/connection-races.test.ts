import { expect, test } from "bun:test";
import {
  addConnection,
  CONNECTIONS,
  connectionTo,
  MAPPINGS,
  passTest,
  setupLink,
  startProvider,
} from "../../support/connections.ts";
import { holdOrganizationLock, inLine } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { ROUNDS, race } from "../../support/race.ts";
import { sharedService } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { POLICY, readyOrganization } from "../../support/sign-on-policy.ts";

const t = await sharedService();
const provider = await startProvider();

// Fails without the organization's lock in authorize, or if the version is compared before it.
test("of two changes that name the same version, one is 200 and one 409; without a version the later counts", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const org = await createOrganization(t);
    const other = await inAnotherBrowser(org.admin);
    const path = `${CONNECTIONS}/${await addConnection(org, provider)}`;
    const names = [org.admin, other];
    const responses = await race(2, (index) =>
      (names[index] ?? other).patch(path, { name: `Name ${index}`, version: 1 }),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
  const org = await createOrganization(t);
  const other = await inAnotherBrowser(org.admin);
  const path = `${CONNECTIONS}/${await addConnection(org, provider)}`;
  const lock = await holdOrganizationLock(t, org.id);
  const [first, second] = await inLine(
    lock,
    () => org.admin.patch(path, { name: "First" }),
    () => other.patch(path, { name: "Second" }),
  );
  expect([first?.status, second?.status]).toEqual([200, 200]);
  expect((await org.admin.get(path)).body.name).toBe("Second");
});

// Fails without the organization's lock, or if the version is compared before it.
test("of a change by a setup link and one by a member that name the same version, the first is 200 and the other 409", async () => {
  for (const isLinkFirst of [true, false]) {
    const org = await createOrganization(t);
    const { setter } = await setupLink(t, org, "connection");
    const path = `${CONNECTIONS}/${await addConnection(org, provider)}`;
    const [byLink, byMember] = [setter, org.admin].map(
      (caller, index) => () => caller.patch(path, { name: `Name ${index}`, version: 1 }),
    ) as [() => ReturnType<typeof setter.patch>, () => ReturnType<typeof setter.patch>];
    const lock = await holdOrganizationLock(t, org.id);
    const responses = await inLine(lock, ...(isLinkFirst ? [byLink, byMember] : [byMember, byLink]));
    expect(responses.map(({ status }) => status)).toEqual([200, 409]);
    expect((await org.admin.get(path)).body.name).toBe(isLinkFirst ? "Name 0" : "Name 1");
  }
});

// Fails if the test of a connection is looked up before the lock, or by another version than the stored one.
test("a connection is never enabled untested, whatever changes it at the same time", async () => {
  for (const order of ["change first", "enable first"]) {
    const org = await createOrganization(t);
    const other = await inAnotherBrowser(org.admin);
    const id = await addConnection(org, provider);
    const path = `${CONNECTIONS}/${id}`;
    await passTest(t, id, org.admin);
    const change = () => other.patch(path, { oidc: { clientId: "other" } });
    const enable = () => org.admin.patch(path, { status: "ENABLED" });
    const lock = await holdOrganizationLock(t, org.id);
    const isChangeFirst = order === "change first";
    const responses = await inLine(lock, ...(isChangeFirst ? [change, enable] : [enable, change]));
    expect(responses.map(({ body }) => body.code ?? 200)).toEqual(
      isChangeFirst ? [200, "CONNECTION_NOT_TESTED"] : [200, 200],
    );
    expect((await org.admin.get(path)).body.status).toBe("DRAFT");
  }
});

// Fails if the number of connections is counted before the lock.
test("of eight connections that are added at once, an organization has five", async () => {
  const org = await createOrganization(t);
  const responses = await race(8, () => org.admin.post(CONNECTIONS, connectionTo(provider)));
  const codes = responses.map(({ status }) => status);
  expect(codes.filter((status) => status === 201)).toHaveLength(5);
  expect((await org.admin.get(CONNECTIONS)).body.total).toBe(5);
});

// Fails if role and unit are looked up before the lock, or without the hold of roles and units by mappings.
test("a role or a unit that is deleted while a group is mapped to it is in use, or cannot be mapped", async () => {
  for (const isMapFirst of [true, false])
    for (const what of ["role", "unit"]) {
      const org = await createOrganization(t);
      const other = await inAnotherBrowser(org.admin);
      const connectionId = await addConnection(org, provider);
      const [roleId, unitId] = [await org.role("Reader", "Units.Read"), await org.unit("Sales")];
      const map = () => org.admin.post(MAPPINGS, { connectionId, group: "staff", roleId, unitId });
      const remove = () => other.delete(what === "role" ? `/api/roles/${roleId}` : `/api/units/${unitId}`);
      const lock = await holdOrganizationLock(t, org.id);
      const responses = await inLine(lock, ...(isMapFirst ? [map, remove] : [remove, map]));
      const inUse = what === "role" ? "ROLE_IN_USE" : "UNIT_NOT_EMPTY";
      expect(responses.map(({ status, body }) => body?.code ?? status)).toEqual(
        isMapFirst ? [201, inUse] : [204, "VALIDATION_FAILED"],
      );
    }
});

// Fails without the constraint sso_mappings_unique or its conflict.
test("of two equal mappings that are made at once, one is 201 and one 409", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const org = await createOrganization(t);
    const [connectionId, role] = [await addConnection(org, provider), await org.role("Reader", "Units.Read")];
    const responses = await race(2, () =>
      org.admin.post(MAPPINGS, { connectionId, group: "staff", roleId: role }),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  }
});

// Fails if deleting a connection does not lock the organization before it looks for others.
test("of the last two enabled connections that are deleted at once under a policy, one stays", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const org = await createOrganization(t);
    const ids = [await addConnection(org, provider), await addConnection(org, provider)];
    await t.sql("UPDATE sso_connections SET status = 'ENABLED' WHERE organization_id = $1", [org.id]);
    await t.sql(
      `INSERT INTO sign_on_policies (organization_id, announced_scope, announced_two_factor, enforce_from)
       VALUES ($1, 'domains', false, now() + interval '1 day')`,
      [org.id],
    );
    const responses = await race(2, (index) => org.admin.delete(`${CONNECTIONS}/${ids[index]}`));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 409]);
  }
});

// Fails if the deletion or the policy looks for the other before the lock.
test("of the deletion of the only enabled connection and a policy that needs it, the later one is 409", async () => {
  for (const isDeletedFirst of [true, false]) {
    const { organization, admin, connectionId } = await readyOrganization(t);
    const other = await inAnotherBrowser(await organization.member({ role: "ORG_ADMIN" }));
    const remove = () => other.delete(`${CONNECTIONS}/${connectionId}`);
    const require = () => admin.patch(POLICY, { scope: "domains", breakGlassUserIds: [idOf(admin)] });
    const lock = await holdOrganizationLock(t, organization.id);
    const responses = await inLine(lock, ...(isDeletedFirst ? [remove, require] : [require, remove]));
    expect(responses.map(({ status, body }) => body?.code ?? status)).toEqual(
      isDeletedFirst ? [204, "CONNECTION_NOT_TESTED"] : [200, "CONFLICT"],
    );
  }
});
