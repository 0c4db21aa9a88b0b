import { expect, test } from "bun:test";
import { DOMAINS, read, startWithDns, verified } from "../../support/domains.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { expectStatus } from "../../support/service.ts";

const { t, dns } = await startWithDns();
const org = await createOrganization(t);
const domain = await verified(dns, org);
const path = `${DOMAINS}/${domain.id}`;
const set = (...joinAssignments: { roleId: string; unitId?: string | null }[]) =>
  org.admin.patch(path, { joinAssignments });

test("people who join get roles of the organization, at most 20, each once", async () => {
  const unit = await org.unit("Sales");
  const role = await org.role("Reader", "Units.Read");
  const { body } = expectStatus(
    await set({ roleId: role, unitId: unit }, { roleId: role, unitId: unit }, { roleId: roleId("MEMBER") }),
    200,
  );
  expect(body.joinAssignments).toEqual([
    { role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: null, source: "manual" },
    { role: { id: role, name: "Reader" }, unit: { id: unit, name: "Sales" }, source: "manual" },
  ]);
  expectStatus(await set({ roleId: role }), 200);
  expect(await read(org.admin, domain)).toMatchObject({
    joinAssignments: [{ role: { name: "Reader" }, unit: null }],
  });
  expectStatus(await set(...Array.from({ length: 21 }, () => ({ roleId: role }))), 400);
  const { body: refused } = expectStatus(await set({ roleId: role }, { roleId: crypto.randomUUID() }), 400);
  expect(refused.message).toBe("joinAssignments.1.roleId must be an existing role");
});

const TOO_MUCH = [
  ...["Members.UpdateRoles", "Members.UpdateUnits", "Members.Delete"],
  ...["Roles.Create", "Roles.Update", "Roles.Delete"],
  ...["Invitations.Create", "Invitations.Read", "Invitations.Resend", "Invitations.Delete"],
  ...["ServiceAccounts.Read", "ServiceAccounts.Create", "ServiceAccounts.Update"],
  ...["ServiceAccounts.UpdateRoles", "ServiceAccounts.Delete", "ApiKeys.Create", "ApiKeys.Delete"],
  ...["SingleSignOn.Read", "SingleSignOn.Update", "SingleSignOn.Bypass"],
  ...["Webhooks.Read", "Webhooks.Create", "Webhooks.Update", "Webhooks.Delete"],
  ...["Billing.Read", "Billing.Create", "Billing.Update", "Organization.Update"],
];

test("roles that manage people, keys or the organization are 400", async () => {
  for (const permission of TOO_MUCH) {
    const role = await org.role(permission, "Units.Read", permission);
    const { status, body } = await set({ roleId: roleId("MEMBER") }, { roleId: role });
    expect([status, body.message]).toEqual([400, `joinAssignments.1.roleId must not hold ${permission}`]);
  }
  const allowed = [
    "Members.Read",
    "Roles.Read",
    "Organization.Read",
    "Units.Delete",
    "Audit.Read",
    "Helpdesk.Read",
  ];
  expectStatus(await set({ roleId: await org.role("Allowed", ...allowed) }), 200);
  expectStatus(await set({ roleId: roleId("ORG_ADMIN") }), 400);
});

test("the roles of people who join are sorted as people count: Unit 2 before Unit 10", async () => {
  const role = await org.role("Visitor", "Units.Read");
  const [ten, two] = [await org.unit("Unit 10"), await org.unit("Unit 2")];
  const { body } = expectStatus(
    await set({ roleId: role, unitId: ten }, { roleId: role, unitId: two }, { roleId: role }),
    200,
  );
  const names = body.joinAssignments.map(({ unit }: { unit: { name: string } | null }) => unit?.name ?? null);
  expect(names).toEqual([null, "Unit 2", "Unit 10"]);
});

test("whoever lets people join must hold what they get, the default role included", async () => {
  const role = await org.role("Auditor", "Audit.Read");
  const keeper = await org.member({
    role: await org.role("Keeper", "SingleSignOn.Read", "SingleSignOn.Update"),
  });
  const change = (body: object) => keeper.patch(path, body);
  expect((await change({ joinAssignments: [{ roleId: role }] })).body.code).toBe("PERMISSION_NOT_HELD");
  expect((await change({ joinAssignments: [] })).body.code).toBe("PERMISSION_NOT_HELD");
  expect((await change({ join: "automatic" })).body.code).toBe("PERMISSION_NOT_HELD");
  expectStatus(await change({ join: "off" }), 200);
});

test("people who join do not come under what whoever lets them join holds in their unit alone", async () => {
  const unit = await org.unit("Guests");
  const [reader, strong] = [await org.role("Guest", "Units.Read"), await org.role("Chief", "Members.Delete")];
  const setter = await org.role("Doorkeeper", "SingleSignOn.Read", "SingleSignOn.Update", "Units.Read");
  const joinAssignments = [{ roleId: reader, unitId: unit }];
  const chief = await org.member({ role: setter }, { role: strong, unit });
  expect((await chief.patch(path, { joinAssignments })).body.code).toBe("PERMISSION_NOT_HELD");
  expectStatus(await (await org.member({ role: setter })).patch(path, { joinAssignments }), 200);
  expectStatus(await set(), 200);
});

test("a role and a unit of people who join are in use", async () => {
  const role = await org.role("Joiner", "Units.Read");
  const unit = await org.unit("Joiners");
  expectStatus(await set({ roleId: role, unitId: unit }), 200);
  expect((await org.admin.delete(`/api/roles/${role}`)).body.code).toBe("ROLE_IN_USE");
  expect((await org.admin.delete(`/api/units/${unit}`)).body.code).toBe("UNIT_NOT_EMPTY");
  expectStatus(await set(), 200);
  expectStatus(await org.admin.delete(`/api/roles/${role}`), 204);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
});

test("with nothing set, members without the permissions change nothing", async () => {
  const member = await org.member();
  for (const response of [
    await member.get(DOMAINS),
    await member.post(DOMAINS, { domain: "acme-member.com" }),
    await member.patch(path, { join: "request" }),
    await member.post(`${path}/verify`),
    await member.delete(path),
  ])
    expect([response.status, response.body.code]).toEqual([403, "FORBIDDEN"]);
});

test("joining by a domain that is not verified is 409, also if it was on before the domain lapsed", async () => {
  const lapsed = await verified(dns, org);
  const turn = (join: string) => org.admin.patch(`${DOMAINS}/${lapsed.id}`, { join });
  expectStatus(await turn("request"), 200);
  await t.sql("UPDATE organization_domains SET status = 'LAPSED' WHERE id = $1", [lapsed.id]);
  for (const join of ["request", "automatic"])
    expect((await turn(join)).body.code).toBe("DOMAIN_NOT_VERIFIED");
  expectStatus(await turn("off"), 200);
});
