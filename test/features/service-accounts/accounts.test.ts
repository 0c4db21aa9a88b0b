import { expect, test } from "bun:test";
import { ACCOUNTS, createAccount, createMachine } from "../../support/machines.ts";
import { assignments, createOrganization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

test("creating, renaming, disabling, changing the roles of and deleting a service account write one audit event each", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  const body = { name: " Deploy bot ", description: "Deploys", ...assignments({ role: "MEMBER" }) };
  const created = expectStatus(await org.admin.post(ACCOUNTS, body), 201).body;
  expect(created).toEqual({
    id: expect.any(String),
    name: "Deploy bot",
    description: "Deploys",
    enabled: true,
    assignments: [{ role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: null, source: "manual" }],
    keyCount: 0,
    lastUsedAt: null,
    createdBy: { id: idOf(org.admin), email: org.admin.email },
    createdAt: expect.any(String),
  });
  const path = `${ACCOUNTS}/${created.id}`;
  expect(expectStatus(await org.admin.get(path), 200).body).toEqual(created);
  const listed = expectStatus(await org.admin.get(`${ACCOUNTS}?search=deploy`), 200).body;
  expect(listed).toEqual({ data: [created], total: 1, page: 1, pageSize: 20 });

  const renamed = expectStatus(await org.admin.patch(path, { name: "Releaser", enabled: false }), 200).body;
  expect(renamed).toEqual({ ...created, name: "Releaser", enabled: false });
  expectStatus(await org.admin.patch(path, {}), 200);
  const moved = await org.admin.patch(`${path}/roles`, assignments({ role: "UNIT_ADMIN", unit: sales }));
  expect(expectStatus(moved, 200).body.assignments).toEqual([
    {
      role: { id: roleId("UNIT_ADMIN"), name: "UNIT_ADMIN" },
      unit: { id: sales, name: "Sales" },
      source: "manual",
    },
  ]);
  expectStatus(await org.admin.delete(path), 204);
  expectStatus(await org.admin.get(path), 404);
  expectStatus(await org.admin.delete(path), 404);

  const entry = (name: string, unitId: string | null = null) => ({
    ...{ roleId: roleId(name), roleName: name, unitId, unitName: unitId && "Sales" },
  });
  const event = { actor_id: idOf(org.admin), target_type: "service_account", target_id: created.id };
  expect(await eventsIn(t, org, "SERVICE_ACCOUNT_")).toEqual([
    {
      ...event,
      action: "SERVICE_ACCOUNT_CREATED",
      metadata: { name: "Deploy bot", assignments: [entry("MEMBER")] },
    },
    {
      ...event,
      action: "SERVICE_ACCOUNT_UPDATED",
      metadata: { from: { name: "Deploy bot", enabled: true }, to: { name: "Releaser", enabled: false } },
    },
    {
      ...event,
      action: "SERVICE_ACCOUNT_ROLES_CHANGED",
      metadata: { added: [entry("UNIT_ADMIN", sales)], removed: [entry("MEMBER")] },
    },
    {
      ...event,
      action: "SERVICE_ACCOUNT_DELETED",
      metadata: { name: "Releaser", roles: [entry("UNIT_ADMIN", sales)] },
    },
  ]);
});

test("names of service accounts are unique in an organization, ignoring case, and can be reused after deletion", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const create = (name: string, by = org) =>
    by.admin.post(ACCOUNTS, { name, ...assignments({ role: "MEMBER" }) });
  const { id } = expectStatus(await create("Bot"), 201).body;
  expect(outcome(await create("BOT"))).toBe("409 CONFLICT");
  expectStatus(await create("Bot", other), 201);
  const second = expectStatus(await create("Second"), 201).body.id;
  expect(outcome(await org.admin.patch(`${ACCOUNTS}/${second}`, { name: "bot" }))).toBe("409 CONFLICT");
  expectStatus(await org.admin.patch(`${ACCOUNTS}/${id}`, { name: "BOT" }), 200);
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${id}`), 204);
  expectStatus(await create("bot"), 201);
});

test("a service account must have 1 to 50 assignments, of existing roles and units", async () => {
  const org = await createOrganization(t);
  const missing = crypto.randomUUID();
  const create = async (roles: unknown[]) =>
    (await org.admin.post(ACCOUNTS, { name: "Bot", assignments: roles })).body.message;
  expect(await create([])).toBe("assignments should not be empty");
  expect(await create(Array(51).fill({ roleId: roleId("MEMBER") }))).toBe(
    "assignments must contain no more than 50 elements",
  );
  expect(await create([{ roleId: missing }, { roleId: roleId("MEMBER"), unitId: missing }])).toBe(
    "assignments.0.roleId must be an existing role; assignments.1.unitId must be an existing unit",
  );
  const id = await createAccount(org, { role: "MEMBER" });
  const response = await org.admin.patch(`${ACCOUNTS}/${id}/roles`, { assignments: [] });
  expect(response.body.message).toBe("assignments should not be empty");
});

test("a unit administrator has access only to service accounts whose assignments are all in the unit's subtree", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  const north = await org.unit("North", sales);
  const other = await org.unit("Other");
  const boss = await org.member({ role: "UNIT_ADMIN", unit: sales });
  const inside = await createAccount(
    org,
    { role: "UNIT_ADMIN", unit: sales },
    { role: "UNIT_ADMIN", unit: north },
  );
  const across = await createAccount(
    org,
    { role: "UNIT_ADMIN", unit: north },
    { role: "UNIT_ADMIN", unit: other },
  );
  const wide = await createAccount(org, { role: "MEMBER" }, { role: "MEMBER", unit: north });

  const listed = expectStatus(await boss.get(ACCOUNTS), 200).body;
  expect([listed.data.map(({ id }: { id: string }) => id), listed.total]).toEqual([[inside], 1]);
  expectStatus(await boss.get(`${ACCOUNTS}/${inside}`), 200);
  for (const id of [across, wide]) {
    const path = `${ACCOUNTS}/${id}`;
    const roles = assignments({ role: "MEMBER", unit: north });
    const responses = [
      await boss.get(path),
      await boss.patch(path, { name: "Mine" }),
      await boss.patch(`${path}/roles`, roles),
      await boss.delete(path),
      await boss.get(`${path}/keys`),
      await boss.post(`${path}/keys`, { name: "Mine" }),
    ];
    expect(responses.map(outcome)).toEqual(responses.map(() => "404 NOT_FOUND"));
  }
});

test("a caller can assign a service account only roles whose permissions the caller has, and only in the caller's units", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  const other = await org.unit("Other");
  const small = await org.role(
    "Small",
    "ServiceAccounts.Read",
    "ServiceAccounts.Create",
    "ServiceAccounts.UpdateRoles",
  );
  const boss = await org.member({ role: small, unit: sales });
  const create = (role: string, unit: string | null) =>
    boss.post(ACCOUNTS, { name: crypto.randomUUID(), ...assignments({ role, unit }) });
  expect(outcome(await create(small, null))).toBe("403 UNIT_FORBIDDEN");
  expect(outcome(await create(small, other))).toBe("403 UNIT_FORBIDDEN");
  expect(outcome(await create("UNIT_ADMIN", sales))).toBe("403 PERMISSION_NOT_HELD");
  const { id } = expectStatus(await create(small, sales), 201).body;
  const roles = (...given: { role: string; unit: string | null }[]) =>
    boss.patch(`${ACCOUNTS}/${id}/roles`, assignments(...given));
  expect(outcome(await roles({ role: small, unit: other }))).toBe("403 UNIT_FORBIDDEN");
  expect(outcome(await roles({ role: "MEMBER", unit: sales }))).toBe("403 PERMISSION_NOT_HELD");
  const strong = await createAccount(org, { role: "UNIT_ADMIN", unit: sales });
  expect(
    outcome(await boss.patch(`${ACCOUNTS}/${strong}/roles`, assignments({ role: small, unit: sales }))),
  ).toBe("403 PERMISSION_NOT_HELD");
});

test("enabling or deleting a service account needs all of its permissions; renaming or disabling it does not", async () => {
  const org = await createOrganization(t);
  const role = await org.role(
    "Keeper",
    "ServiceAccounts.Read",
    "ServiceAccounts.Update",
    "ServiceAccounts.Delete",
  );
  const keeper = await org.member({ role });
  const path = `${ACCOUNTS}/${await createAccount(org, { role: "ORG_ADMIN" })}`;
  expectStatus(await keeper.patch(path, { name: "Renamed", enabled: false }), 200);
  expect(outcome(await keeper.patch(path, { enabled: true }))).toBe("403 PERMISSION_NOT_HELD");
  expect(outcome(await keeper.delete(path))).toBe("403 PERMISSION_NOT_HELD");
  expectStatus(await org.admin.patch(path, { enabled: true }), 200);
  expectStatus(await org.admin.delete(path), 204);
});

test("a role or unit that is assigned to a service account cannot be deleted", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const role = await org.role("Small", "Units.Read");
  const id = await createAccount(org, { role, unit });
  expect(outcome(await org.admin.delete(`/api/roles/${role}`))).toBe("409 ROLE_IN_USE");
  expect(outcome(await org.admin.delete(`/api/units/${unit}`))).toBe("409 UNIT_NOT_EMPTY");
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${id}`), 204);
  expectStatus(await org.admin.delete(`/api/roles/${role}`), 204);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
});

test("the role and unit options of service accounts are those with which the caller may create one", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  await org.unit("Other");
  const boss = await org.member({ role: "UNIT_ADMIN", unit: sales });
  const names = async (path: string) =>
    expectStatus(await boss.get(`${ACCOUNTS}/${path}`), 200).body.map(({ name }: { name: string }) => name);
  expect(await names("role-options")).toEqual(["MEMBER", "UNIT_ADMIN"]);
  expect(await names("unit-options")).toEqual(["Sales"]);
});

test("no list of users or members contains service accounts", async () => {
  const org = await createOrganization(t);
  const { id } = await createMachine(org, { role: "ORG_ADMIN" });
  const members = expectStatus(await org.admin.get(`/api/members?member=${id}`), 200).body;
  expect(members.total).toBe(0);
  expectStatus(await org.admin.get(`/api/members/${id}`), 404);
});
