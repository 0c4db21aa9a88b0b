import { expect, test } from "bun:test";
import { isSingleOrganization } from "../../src/core/access/access.ts";
import type { Caller } from "../support/caller.ts";
import { INVITATIONS, invited, settle } from "../support/invitations.ts";
import { assignments, createOrganization, type Organization } from "../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { definitions } from "../support/routes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../support/service.ts";

const t = await sharedService();

const setStatus = async (admin: Caller, { id }: { id: string }, status: string) =>
  expectStatus(await admin.patch(`/api/organizations/${id}/status`, { status }), 200);

/**
 * One request for each operation that grants or revokes permissions and that an administrator may call: method, path,
 * body.
 */
async function writesIn(org: Organization): Promise<Record<string, [string, string, object?]>> {
  const name = () => crypto.randomUUID();
  const [unit, spare] = [await org.unit(name()), await org.unit(name())];
  const [role, unused] = [await org.role(name()), await org.role(name())];
  const [person, other] = [idOf(await org.member()), idOf(await org.member())];
  const [one, two] = [await invited(t, org.admin), await invited(t, org.admin)];
  await settle(t, one);
  const email = uniqueEmail();
  return {
    updateOrganization: ["PATCH", "/api/organization", { defaultRoleId: role }],
    createUnit: ["POST", "/api/units", { name: "New", parentId: null }],
    createUnits: ["POST", "/api/units/bulk", { paths: [["Newer"]] }],
    updateUnit: ["PATCH", `/api/units/${unit}`, { parentId: spare }],
    deleteUnit: ["DELETE", `/api/units/${unit}`],
    createRole: ["POST", "/api/roles", { name: name(), permissions: [] }],
    updateRole: ["PATCH", `/api/roles/${role}`, { permissions: ["Units.Read"] }],
    deleteRole: ["DELETE", `/api/roles/${unused}`],
    changeMemberRoles: ["PATCH", `/api/members/${person}/roles`, assignments({ role: "ORG_ADMIN" })],
    changeMemberUnits: ["PATCH", `/api/members/${person}/units`, { unitIds: [spare] }],
    removeMember: ["DELETE", `/api/members/${other}`],
    invite: ["POST", INVITATIONS, { email, ...assignments({ role: "ORG_ADMIN" }) }],
    inviteMany: [
      "POST",
      `${INVITATIONS}/bulk`,
      { rows: [{ email: uniqueEmail(), ...assignments({ role: "ORG_ADMIN" }) }] },
    ],
    resendInvitation: ["POST", `${INVITATIONS}/${one.id}/resend`],
    revokeInvitation: ["DELETE", `${INVITATIONS}/${two.id}`],
    leaveOrganization: ["POST", "/api/organization/leave"],
  };
}

test("with a token of a suspended organization no permission can be granted or revoked; platform administrators can do so", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const holder = await org.member({ role: "ORG_ADMIN" });
  const writes = await writesIn(org);
  const tags = ["organizations", "units", "roles", "members", "invitations"];
  expect(Object.keys(writes).sort()).toEqual(
    definitions
      .filter(
        ({ method, access, tags: [tag] }) =>
          method !== "get" && isSingleOrganization(access) && tags.includes(tag),
      )
      .map(({ operationId }) => operationId)
      .sort(),
  );

  await setStatus(admin, org, "SUSPENDED");
  const before = await eventsIn(t, org, "");
  for (const [name, [method, path, body]] of Object.entries(writes))
    expect([name, outcome(await holder.send(method, path, body))]).toEqual([
      name,
      "400 ORGANIZATION_SUSPENDED",
    ]);
  expect(await eventsIn(t, org, "")).toEqual(before);
  // Reads are allowed until the token expires.
  for (const path of ["/api/organization", "/api/units", "/api/roles", "/api/members", INVITATIONS])
    expectStatus(await holder.get(path), 200);

  for (const [name, [method, path, body]] of Object.entries(writes)) {
    const found = outcome(await admin.send(method, path, body, actingIn(org)));
    // Nobody can send invitations of a suspended organization or create many units in it, and a platform administrator cannot leave it.
    if (["invite", "inviteMany", "resendInvitation", "createUnits"].includes(name))
      expect(found).toBe("400 ORGANIZATION_SUSPENDED");
    else if (name === "leaveOrganization") expect(found).toBe("403 FORBIDDEN");
    else expect([name, found]).toEqual([name, expect.stringMatching(/^20[014]$/)]);
  }
  await setStatus(admin, org, "ACTIVE");
  // The suspension ended the session, so the administrator signs in again.
  expect((await holder.login()).status).toBe(200);
  expect(outcome(await holder.post("/api/units", { name: "New", parentId: null }))).toBe("201");
});

test("only callers with write permission learn that an organization is suspended", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const [member, removed] = [await org.member(), await org.member({ role: "ORG_ADMIN" })];
  expectStatus(await org.admin.delete(`/api/members/${idOf(removed)}`), 204);
  await setStatus(admin, org, "SUSPENDED");
  const create = async (caller: Caller) =>
    outcome(await caller.post("/api/units", { name: "New", parentId: null }));
  expect([await create(member), await create(removed), await create(org.admin)]).toEqual([
    "403 FORBIDDEN",
    "403 FORBIDDEN",
    "400 ORGANIZATION_SUSPENDED",
  ]);
});

// src/core/authorize/authorize.ts reads the status under the organization's lock.
test("after an organization is suspended nothing is granted, not even by requests in progress", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const responses = await race(8, (index) =>
    index === 3
      ? setStatus(admin, org, "SUSPENDED")
      : org.admin.post("/api/roles", { name: crypto.randomUUID(), permissions: [] }),
  );
  const made = responses.filter(({ status }) => status === 201).length;
  for (const response of responses)
    expect(outcome(response)).toMatch(/^(200|201|400 ORGANIZATION_SUSPENDED)$/);
  const events = (await eventsIn(t, org, "")).map(({ action }) => action);
  expect(events.slice(events.indexOf("ORGANIZATION_STATUS_CHANGED"))).toEqual([
    "ORGANIZATION_STATUS_CHANGED",
  ]);
  expect(events.filter((action) => action === "ROLE_CREATED")).toHaveLength(made);
  const late = await org.admin.post("/api/roles", { name: "Late", permissions: [] });
  expect(outcome(late)).toBe("400 ORGANIZATION_SUSPENDED");
});
