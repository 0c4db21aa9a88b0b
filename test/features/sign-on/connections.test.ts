import { expect, test } from "bun:test";
import {
  addConnection,
  CONNECTIONS,
  connectionTo,
  enabledConnection,
  linkTo,
  passTest,
  startProvider,
} from "../../support/connections.ts";
import { createOrganization, type Organization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { addBreakGlass, giveBy, setPolicy } from "../../support/sign-on.ts";

const t = await sharedService();
const [provider, other] = await Promise.all([startProvider(), startProvider()]);
const org = await createOrganization(t);
const pathOf = (id: string) => `${CONNECTIONS}/${id}`;

/** A connection of an organization: `patch` sends a change, `change` expects it to be made. */
function client({ admin }: Organization, id: string) {
  const path = pathOf(id);
  const patch = (body: object) => admin.patch(path, body);
  return {
    id,
    patch,
    change: async (body: object) => expectStatus(await patch(body), 200).body,
    codeOf: async (body: object) => (await patch(body)).body.code,
    read: async () => expectStatus(await admin.get(path), 200).body,
    remove: () => admin.delete(path),
  };
}
const draft = async (organization = org) => client(organization, await addConnection(organization, provider));
const enabled = async (organization: Organization) =>
  client(organization, await enabledConnection(t, organization, provider));
/** Returns the metadata of an organization's events with this action. */
const metadataOf = async (organization: Organization, action: string) =>
  (await eventsIn(t, organization, action)).map(({ metadata }) => metadata);

test("a connection is added as a draft, listed and read, and its secret is never shown", async () => {
  const fresh = await createOrganization(t);
  const { body } = expectStatus(await fresh.admin.post(CONNECTIONS, connectionTo(provider)), 201);
  expect(body).toMatchObject({
    name: "Acme",
    protocol: "oidc",
    status: "DRAFT",
    oidc: {
      issuer: provider.issuer,
      clientId: "service",
      scopes: "openid email profile",
      hasClientSecret: true,
      clientSecretExpiresAt: null,
    },
    claims: {
      subject: "sub",
      email: "email",
      firstName: "given_name",
      lastName: "family_name",
      groups: "groups",
    },
    provisioning: "none",
    defaultAssignments: [],
    secondFactor: "own",
    startUrl: `http://app.test/sso/${body.id}`,
    domains: [],
    identityCount: 0,
    mappingCount: 0,
    testedAt: null,
    lastSignInAt: null,
    lastError: null,
    version: 1,
    createdBy: { email: fresh.admin.email },
  });
  expect(body.redirectUri).toEndWith(`/api/auth/sso/${body.id}/callback`);
  expect(expectStatus(await fresh.admin.get(pathOf(body.id)), 200).body).toEqual(body);
  const list = expectStatus(await fresh.admin.get(CONNECTIONS), 200).body;
  expect(list).toMatchObject({ data: [body], total: 1, page: 1 });
  expect(JSON.stringify([body, list])).not.toContain("s3cret");
  const stored = await t.sql("SELECT client_secret FROM sso_connections WHERE id = $1", [body.id]);
  expect(JSON.stringify(stored)).not.toContain("s3cret");
});

const ONE = "oidc.issuer must be the issuer of one organization";
const FORM = "oidc.issuer must be an https URL without query, fragment, user and password";
const REACHABLE = "oidc.issuer must be a reachable OpenID provider";

test("an issuer that is none, stands for many organizations, or cannot be reached is 400", async () => {
  for (const [issuer, message] of [
    ["https://login.microsoftonline.com/common/v2.0", ONE],
    ["https://login.microsoftonline.com/organizations/v2.0", ONE],
    ["https://login.microsoftonline.com/consumers/v2.0", ONE],
    ["https://login.microsoftonline.com/{tenantid}/v2.0", ONE],
    ["https://login.microsoftonline.com/%7Btenantid%7D/v2.0", ONE],
    ["https://id.example.com?x=1", FORM],
    ["https://id.example.com#x", FORM],
    ["https://ada:secret@id.example.com", FORM],
    ["http://id.example.com", FORM],
    ["ftp://id.example.com", FORM],
    ["id.example.com", FORM],
    ["https://169.254.169.254", REACHABLE],
    ["https://[::ffff:10.0.0.1]", REACHABLE],
    ["https://id.example.com:22", REACHABLE],
    ["http://127.0.0.1:1", REACHABLE],
    ["https://app.test", REACHABLE],
  ] as const) {
    const { status, body } = await org.admin.post(CONNECTIONS, connectionTo({ issuer }));
    expect([issuer, status, body.message]).toEqual([issuer, 400, message]);
  }
});

test("a provider must name itself exactly as its issuer", async () => {
  for (const issuer of [`${provider.issuer}/`, provider.issuer.replace("127.0.0.1", "localhost")]) {
    const { status, body } = await org.admin.post(CONNECTIONS, connectionTo({ issuer }));
    expect([status, body.message]).toEqual([400, "oidc.issuer must name itself as its issuer"]);
  }
});

test("fields of a connection are validated together", async () => {
  const body = connectionTo(provider, {
    name: " ",
    claims: { subject: "email", email: "" },
    provisioning: "always",
    secondFactor: "none",
  });
  const { errors } = expectStatus(
    await org.admin.post(CONNECTIONS, { ...body, oidc: { ...body.oidc, clientId: "", scopes: "email" } }),
    400,
  ).body;
  expect(errors.map(({ path }: { path: string }) => path).sort()).toEqual([
    "claims.email",
    "claims.subject",
    "name",
    "oidc.clientId",
    "oidc.scopes",
    "provisioning",
    "secondFactor",
  ]);
});

test("an organization has at most five connections", async () => {
  const fresh = await createOrganization(t);
  for (let count = 0; count < 5; count += 1) await addConnection(fresh, provider);
  const { body } = expectStatus(await fresh.admin.post(CONNECTIONS, connectionTo(provider)), 409);
  expect(body.code).toBe("CONFLICT");
});

test("a version that was read long ago is 409, and every change raises it", async () => {
  const { change, codeOf, remove } = await draft();
  expect(await change({ name: "Other", version: 1 })).toMatchObject({ name: "Other", version: 2 });
  expect(await codeOf({ name: "Third", version: 1 })).toBe("CONFLICT");
  for (const same of [{ name: "Other", version: 2 }, {}]) expect((await change(same)).version).toBe(2);
  expectStatus(await remove(), 204);
});

test("a connection is enabled only if the caller tested what it is now, within a day", async () => {
  const fresh = await createOrganization(t);
  const colleague = await fresh.member({ role: "ORG_ADMIN" });
  const { id, change, codeOf, read } = await draft(fresh);
  const expectUntested = async (more = {}) =>
    expect(await codeOf({ status: "ENABLED", ...more })).toBe("CONNECTION_NOT_TESTED");
  await expectUntested();
  await passTest(t, id, colleague);
  await expectUntested();
  await passTest(t, id, fresh.admin, 24 * 60 + 1);
  await expectUntested();
  for (const changed of [{ claims: { email: "upn" } }, { oidc: { scopes: "openid email" } }]) {
    await passTest(t, id, fresh.admin);
    await change(changed);
    await expectUntested();
  }
  await passTest(t, id, fresh.admin);
  await expectUntested({ oidc: { clientId: "x" } });
  expect(await read()).toMatchObject({ status: "DRAFT", oidc: { clientId: "service" } });
  expect((await change({ status: "ENABLED" })).status).toBe("ENABLED");
});

test("what was not tested does not stay enabled by asking for it in the same request", async () => {
  const { change, codeOf, read } = await enabled(await createOrganization(t));
  const before = await read();
  for (const untested of [
    { oidc: { issuer: other.issuer } },
    { oidc: { clientId: "other" } },
    { oidc: { clientSecret: "other" } },
    { claims: { email: "upn" } },
  ])
    expect(await codeOf({ ...untested, status: "ENABLED" })).toBe("CONNECTION_NOT_TESTED");
  await change({ status: "ENABLED" });
  expect(await read()).toEqual(before);
});

test("another client makes an enabled connection a draft; a new secret, its expiry, scopes and names do not", async () => {
  const fresh = await createOrganization(t);
  const { change } = await enabled(fresh);
  const expiresAt = "2030-01-01T00:00:00.000Z";
  for (const [body, status] of [
    [{ oidc: { clientSecret: "new", clientSecretExpiresAt: expiresAt } }, "ENABLED"],
    [{ oidc: { scopes: "openid email" }, name: "Other" }, "ENABLED"],
    [{ claims: { groups: "roles" } }, "ENABLED"],
    [{ oidc: { clientId: "other" } }, "DRAFT"],
  ] as const)
    expect((await change(body)).status).toBe(status);
  const disabled = await enabled(fresh);
  await disabled.change({ status: "DISABLED" });
  expect((await disabled.change({ oidc: { clientId: "other" } })).status).toBe("DISABLED");
});

test("another issuer drops the stored secret, unless a new one is sent", async () => {
  const { change, remove } = await draft();
  for (const [oidc, hasClientSecret] of [
    [{ clientId: "other" }, true],
    [{ issuer: other.issuer }, false],
    [{ issuer: provider.issuer, clientSecret: "new" }, true],
    [{ clientSecret: null }, false],
  ] as const) {
    const { clientSecret: _, ...shown } = oidc as Record<string, unknown>;
    expect((await change({ oidc })).oidc).toMatchObject({ ...shown, hasClientSecret });
  }
  expectStatus(await remove(), 204);
});

test("issuer, client and subject do not change while people are linked", async () => {
  const { id, change, codeOf, remove } = await draft();
  await linkTo(t, id, await org.member());
  for (const fixed of [
    { oidc: { issuer: other.issuer } },
    { oidc: { clientId: "other" } },
    { claims: { subject: "oid" } },
  ])
    expect(await codeOf(fixed)).toBe("CONFLICT");
  await change({ oidc: { clientSecret: "new" }, claims: { email: "upn" } });
  expectStatus(await remove(), 204);
});

test("default roles must be held, and keep role and unit in use", async () => {
  const unit = await org.unit("Sales");
  const role = await org.role("Strong", "Members.Delete", "Members.Read");
  const setter = await org.member({
    role: await org.role("Setter", "SingleSignOn.Update", "SingleSignOn.Read"),
  });
  const id = await addConnection(org, provider);
  const defaults = (caller: typeof setter, roles: object[]) =>
    caller.patch(pathOf(id), { defaultAssignments: roles });
  expect((await defaults(setter, [{ roleId: role }])).body.code).toBe("PERMISSION_NOT_HELD");
  expect((await setter.patch(pathOf(id), { provisioning: "jit" })).body.code).toBe("PERMISSION_NOT_HELD");
  const { body } = expectStatus(
    await defaults(org.admin, [
      { roleId: role, unitId: unit },
      { roleId: role, unitId: unit },
    ]),
    200,
  );
  expect(body.defaultAssignments).toEqual([
    { role: { id: role, name: "Strong" }, unit: { id: unit, name: "Sales" }, source: "manual" },
  ]);
  expect((await defaults(org.admin, [{ roleId: crypto.randomUUID() }])).body.message).toBe(
    "defaultAssignments.0.roleId must be an existing role",
  );
  expect((await org.admin.delete(`/api/roles/${role}`)).body.code).toBe("ROLE_IN_USE");
  expect((await org.admin.delete(`/api/units/${unit}`)).body.code).toBe("UNIT_NOT_EMPTY");
  expectStatus(await defaults(org.admin, [{ roleId: roleId("MEMBER") }]), 200);
  expectStatus(await org.admin.delete(`/api/roles/${role}`), 204);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  expectStatus(await org.admin.delete(pathOf(id)), 204);
});

test("the only enabled connection is not deleted while the organization requires single sign-on, or has announced it", async () => {
  const fresh = await createOrganization(t);
  const [only, unused] = [await enabled(fresh), await draft(fresh)];
  await setPolicy(t, fresh, { scope: "domains" });
  await addBreakGlass(t, fresh, fresh.admin);
  expect((await only.remove()).body.code).toBe("CONFLICT");
  expectStatus(await unused.remove(), 204);
  await t.sql(
    `UPDATE sign_on_policies SET scope = 'off', announced_scope = 'everyone', announced_two_factor = false,
       enforce_from = now() + interval '1 day' WHERE organization_id = $1`,
    [fresh.id],
  );
  expect((await only.remove()).body.code).toBe("CONFLICT");
  const second = await enabled(fresh);
  expectStatus(await only.remove(), 204);
  await setPolicy(t, fresh, { scope: "off" });
  expectStatus(await second.remove(), 204);
});

test("roles that a deleted connection gave become roles by hand, each once, and its people are unlinked", async () => {
  const fresh = await createOrganization(t);
  const [role, doubled] = [await fresh.role("Reader", "Units.Read"), await fresh.role("Both", "Units.Read")];
  const person = await fresh.member({ role: "MEMBER" }, { role: doubled });
  const { id, remove } = await enabled(fresh);
  await linkTo(t, id, person);
  for (const one of [role, doubled]) await giveBy(t, fresh, id, { role: one }, person);
  expectStatus(await remove(), 204);
  const { assignments } = expectStatus(await fresh.admin.get(`/api/members/${idOf(person)}`), 200).body;
  const given = assignments.map((one: { role: { name: string }; source: string }) => [
    one.role.name,
    one.source,
  ]);
  expect(given).toEqual([
    ["Both", "manual"],
    ["MEMBER", "manual"],
    ["Reader", "manual"],
  ]);
  expectStatus(await fresh.admin.get(pathOf(id)), 404);
  expect(await t.sql("SELECT id FROM sso_identities WHERE connection_id = $1", [id])).toEqual([]);
  expect(await metadataOf(fresh, "CONNECTION_DELETED")).toEqual([{ name: "Acme", keptAssignments: 2 }]);
});

test("the audit log has what changed, and of the secret only that it did", async () => {
  const fresh = await createOrganization(t);
  const { change } = await draft(fresh);
  await change({ name: "Other", oidc: { clientSecret: "another s3cret" } });
  expect(await metadataOf(fresh, "CONNECTION_UPDATED")).toEqual([
    { from: { name: "Acme" }, to: { name: "Other" }, clientSecretChanged: true },
  ]);
});

test("people of a connection are listed, searched and unlinked", async () => {
  const fresh = await createOrganization(t);
  const id = await enabledConnection(t, fresh, provider);
  const [one, two] = [await fresh.member(), await fresh.member()];
  await linkTo(t, id, one, "engineering", "all staff");
  await linkTo(t, id, two, "all staff");
  const list = async (query = "") =>
    expectStatus(await fresh.admin.get(`${pathOf(id)}/identities${query}`), 200).body;
  expect(await list()).toMatchObject({ total: 2 });
  expect(await list(`?search=${one.email}`)).toMatchObject({
    total: 1,
    data: [{ user: { email: one.email }, email: one.email, groups: ["engineering", "all staff"] }],
  });
  const groups = expectStatus(await fresh.admin.get(`${pathOf(id)}/groups?sort=people&order=desc`), 200).body;
  expect(groups.data).toEqual([
    { group: "all staff", people: 2, mappings: 0 },
    { group: "engineering", people: 1, mappings: 0 },
  ]);
  expect((await fresh.admin.get(`${pathOf(id)}/groups?search=ENGIN`)).body.total).toBe(1);
  const userId = (await list(`?search=${one.email}`)).data[0].user.id;
  expectStatus(await fresh.admin.delete(`${pathOf(id)}/identities/${userId}`), 204);
  expectStatus(await fresh.admin.delete(`${pathOf(id)}/identities/${userId}`), 404);
  expect(await list()).toMatchObject({ total: 1 });
  const notified = expectStatus(await one.get("/api/notifications"), 200).body.data;
  expect(notified[0]).toMatchObject({ type: "SIGN_IN_METHOD_REMOVED", data: { provider: "sso" } });
});
