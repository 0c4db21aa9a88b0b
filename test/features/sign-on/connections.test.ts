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
import { createOrganization, roleId } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { setPolicy } from "../../support/sign-on.ts";

const t = await startService();
const [provider, other] = await Promise.all([startProvider(), startProvider()]);
const org = await createOrganization(t);
const pathOf = (id: string) => `${CONNECTIONS}/${id}`;

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
  const id = await addConnection(org, provider);
  const { body } = expectStatus(await org.admin.patch(pathOf(id), { name: "Other", version: 1 }), 200);
  expect(body).toMatchObject({ name: "Other", version: 2 });
  expectStatus(await org.admin.patch(pathOf(id), { name: "Third", version: 1 }), 409);
  expect(
    expectStatus(await org.admin.patch(pathOf(id), { name: "Other", version: 2 }), 200).body.version,
  ).toBe(2);
  expect(expectStatus(await org.admin.patch(pathOf(id), {}), 200).body.version).toBe(2);
  expectStatus(await org.admin.delete(pathOf(id)), 204);
});

test("a connection is enabled only if the caller tested what it is now, within a day", async () => {
  const fresh = await createOrganization(t);
  const colleague = await fresh.member({ role: "ORG_ADMIN" });
  const id = await addConnection(fresh, provider);
  const enable = () => fresh.admin.patch(pathOf(id), { status: "ENABLED" });
  const expectUntested = async () => expect((await enable()).body.code).toBe("CONNECTION_NOT_TESTED");
  await expectUntested();
  await passTest(t, id, colleague);
  await expectUntested();
  await passTest(t, id, fresh.admin, 24 * 60 + 1);
  await expectUntested();
  await passTest(t, id, fresh.admin);
  expectStatus(await fresh.admin.patch(pathOf(id), { claims: { email: "upn" } }), 200);
  await expectUntested();
  await passTest(t, id, fresh.admin);
  expectStatus(await fresh.admin.patch(pathOf(id), { oidc: { scopes: "openid email" } }), 200);
  await expectUntested();
  await passTest(t, id, fresh.admin);
  expect(
    (await fresh.admin.patch(pathOf(id), { status: "ENABLED", oidc: { clientId: "x" } })).body.code,
  ).toBe("CONNECTION_NOT_TESTED");
  expect(expectStatus(await fresh.admin.get(pathOf(id)), 200).body).toMatchObject({
    status: "DRAFT",
    oidc: { clientId: "service" },
  });
  expect(expectStatus(await enable(), 200).body.status).toBe("ENABLED");
});

test("what was not tested does not stay enabled by asking for it in the same request", async () => {
  const fresh = await createOrganization(t);
  const id = await enabledConnection(t, fresh, provider);
  const before = expectStatus(await fresh.admin.get(pathOf(id)), 200).body;
  for (const change of [
    { oidc: { issuer: other.issuer } },
    { oidc: { clientId: "other" } },
    { oidc: { clientSecret: "other" } },
    { claims: { email: "upn" } },
  ])
    expect((await fresh.admin.patch(pathOf(id), { ...change, status: "ENABLED" })).body.code).toBe(
      "CONNECTION_NOT_TESTED",
    );
  expectStatus(await fresh.admin.patch(pathOf(id), { status: "ENABLED" }), 200);
  expect(expectStatus(await fresh.admin.get(pathOf(id)), 200).body).toEqual(before);
});

test("another client makes an enabled connection a draft; a new secret, its expiry, scopes and names do not", async () => {
  const fresh = await createOrganization(t);
  const id = await enabledConnection(t, fresh, provider);
  const statusAfter = async (change: object) =>
    expectStatus(await fresh.admin.patch(pathOf(id), change), 200).body.status;
  const expiresAt = "2030-01-01T00:00:00.000Z";
  expect(await statusAfter({ oidc: { clientSecret: "new", clientSecretExpiresAt: expiresAt } })).toBe(
    "ENABLED",
  );
  expect(await statusAfter({ oidc: { scopes: "openid email" }, name: "Other" })).toBe("ENABLED");
  expect(await statusAfter({ claims: { groups: "roles" } })).toBe("ENABLED");
  expect(await statusAfter({ oidc: { clientId: "other" } })).toBe("DRAFT");
  const disabled = await enabledConnection(t, fresh, provider);
  expectStatus(await fresh.admin.patch(pathOf(disabled), { status: "DISABLED" }), 200);
  expect(
    expectStatus(await fresh.admin.patch(pathOf(disabled), { oidc: { clientId: "other" } }), 200).body.status,
  ).toBe("DISABLED");
});

test("another issuer drops the stored secret, unless a new one is sent", async () => {
  const id = await addConnection(org, provider);
  const change = (oidc: object) => org.admin.patch(pathOf(id), { oidc });
  expect(expectStatus(await change({ clientId: "other" }), 200).body.oidc.hasClientSecret).toBe(true);
  expect(expectStatus(await change({ issuer: other.issuer }), 200).body.oidc).toMatchObject({
    issuer: other.issuer,
    hasClientSecret: false,
  });
  expect(
    expectStatus(await change({ issuer: provider.issuer, clientSecret: "new" }), 200).body.oidc
      .hasClientSecret,
  ).toBe(true);
  expect(expectStatus(await change({ clientSecret: null }), 200).body.oidc.hasClientSecret).toBe(false);
  expectStatus(await org.admin.delete(pathOf(id)), 204);
});

test("issuer, client and subject do not change while people are linked", async () => {
  const id = await addConnection(org, provider);
  await linkTo(t, id, await org.member());
  for (const change of [
    { oidc: { issuer: other.issuer } },
    { oidc: { clientId: "other" } },
    { claims: { subject: "oid" } },
  ])
    expect((await org.admin.patch(pathOf(id), change)).body.code).toBe("CONFLICT");
  expectStatus(
    await org.admin.patch(pathOf(id), { oidc: { clientSecret: "new" }, claims: { email: "upn" } }),
    200,
  );
  expectStatus(await org.admin.delete(pathOf(id)), 204);
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
  const [id, draft] = [await enabledConnection(t, fresh, provider), await addConnection(fresh, provider)];
  await setPolicy(t, fresh, { scope: "domains" });
  await t.sql(
    "INSERT INTO break_glass_members (organization_id, user_id) SELECT $1, id FROM users WHERE email = $2",
    [fresh.id, fresh.admin.email],
  );
  expect((await fresh.admin.delete(pathOf(id))).body.code).toBe("CONFLICT");
  expectStatus(await fresh.admin.delete(pathOf(draft)), 204);
  await t.sql(
    `UPDATE sign_on_policies SET scope = 'off', announced_scope = 'everyone', announced_two_factor = false,
       enforce_from = now() + interval '1 day' WHERE organization_id = $1`,
    [fresh.id],
  );
  expect((await fresh.admin.delete(pathOf(id))).body.code).toBe("CONFLICT");
  const second = await enabledConnection(t, fresh, provider);
  expectStatus(await fresh.admin.delete(pathOf(id)), 204);
  await setPolicy(t, fresh, { scope: "off" });
  expectStatus(await fresh.admin.delete(pathOf(second)), 204);
});

test("roles that a deleted connection gave become roles by hand, each once, and its people are unlinked", async () => {
  const fresh = await createOrganization(t);
  const [role, doubled] = [await fresh.role("Reader", "Units.Read"), await fresh.role("Both", "Units.Read")];
  const person = await fresh.member({ role: "MEMBER" }, { role: doubled });
  const id = await enabledConnection(t, fresh, provider);
  await linkTo(t, id, person);
  await t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id, source, connection_id)
     SELECT m.id, given::uuid, 'sso', $2::uuid FROM memberships m JOIN users u ON u.id = m.user_id, unnest($3::text[]) given
     WHERE m.organization_id = $1 AND u.email = $4`,
    [fresh.id, id, `{${role},${doubled}}`, person.email],
  );
  expectStatus(await fresh.admin.delete(pathOf(id)), 204);
  const { data } = expectStatus(await fresh.admin.get(`/api/members?search=${person.email}`), 200).body;
  const given = data[0].assignments.map((one: { role: { name: string }; source: string }) => [
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
  const { data: events } = expectStatus(
    await fresh.admin.get("/api/organization/audit-events?action=CONNECTION_DELETED"),
    200,
  ).body;
  expect(events[0].metadata).toEqual({ name: "Acme", keptAssignments: 2 });
});

test("the audit log has what changed, and of the secret only that it did", async () => {
  const fresh = await createOrganization(t);
  const id = await addConnection(fresh, provider);
  expectStatus(
    await fresh.admin.patch(pathOf(id), { name: "Other", oidc: { clientSecret: "another s3cret" } }),
    200,
  );
  const { data } = expectStatus(
    await fresh.admin.get("/api/organization/audit-events?action=CONNECTION_UPDATED"),
    200,
  ).body;
  expect(data.map(({ metadata }: { metadata: unknown }) => metadata)).toEqual([
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
