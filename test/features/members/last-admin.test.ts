import { expect, test } from "bun:test";
import { permissionNames } from "../../../src/core/access/catalog.ts";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const demote = async (caller: Caller, person: Caller, options = {}) =>
  outcome(await caller.patch(`/api/members/${idOf(person)}/roles`, assignments({ role: "MEMBER" }), options));
const remove = async (caller: Caller, person: Caller, options = {}) =>
  outcome(await caller.delete(`/api/members/${idOf(person)}`, options));
const leave = async (caller: Caller) => outcome(await caller.post("/api/organization/leave"));

/** Returns all requests by which the founder could stop being an administrator. */
async function waysOut(org: Organization): Promise<Record<string, () => Promise<string>>> {
  const admin = await t.platformAdmin();
  const equal = await org.member({ role: await org.role("Equal", ...permissionNames()) });
  return {
    "demotion by oneself": () => demote(org.admin, org.admin),
    "demotion by somebody who holds as much": () => demote(equal, org.admin),
    "demotion by a platform administrator": () => demote(admin, org.admin, actingIn(org)),
    "removal by somebody who holds as much": () => remove(equal, org.admin),
    "removal by a platform administrator": () => remove(admin, org.admin, actingIn(org)),
    leaving: () => leave(org.admin),
  };
}

test("an organization's only administrator cannot be demoted, be removed or leave while it has other members", async () => {
  const org = await createOrganization(t);
  const ways = await waysOut(org);
  for (const [way, go] of Object.entries(ways)) expect([way, await go()]).toEqual([way, "409 LAST_ADMIN"]);
  const unit = await org.unit("Sales");
  const narrowed = assignments({ role: "ORG_ADMIN", unit });
  const path = `/api/members/${idOf(org.admin)}/roles`;
  expect(outcome(await org.admin.patch(path, narrowed))).toBe("409 LAST_ADMIN");
  expect(await eventsIn(t, org, "MEMBER_")).toEqual([]);
  expectStatus(await org.admin.get("/api/members"), 200);
  expectStatus(await org.admin.refresh(), 200);
});

test("for LAST_ADMIN, unit administrators, former administrators and deleted accounts do not count as administrators", async () => {
  const [org, platformAdmin] = [await createOrganization(t), await t.platformAdmin()];
  await org.member({ role: "ORG_ADMIN", unit: await org.unit("Sales") });
  const [demoted, left, removed, deleted] = [
    await org.member({ role: "ORG_ADMIN" }),
    await org.member({ role: "ORG_ADMIN" }),
    await org.member({ role: "ORG_ADMIN" }),
    await org.member({ role: "ORG_ADMIN" }),
  ];
  expect(await demote(org.admin, demoted)).toBe("200");
  expect(await leave(left)).toBe("204");
  expect(await remove(org.admin, removed)).toBe("204");
  expectStatus(await platformAdmin.delete(`/api/users/${idOf(deleted)}`), 204);
  for (const [way, go] of Object.entries(await waysOut(org)))
    expect([way, await go()]).toEqual([way, "409 LAST_ADMIN"]);
});

test("the only administrator's other roles can be changed as long as ORG_ADMIN stays", async () => {
  const org = await createOrganization(t);
  await org.member();
  const path = `/api/members/${idOf(org.admin)}/roles`;
  const more = assignments({ role: "MEMBER" }, { role: "ORG_ADMIN" });
  expectStatus(await org.admin.patch(path, more), 200);
  expectStatus(await org.admin.patch(path, assignments({ role: "ORG_ADMIN" })), 200);
});

test("if there is another administrator, an administrator can be demoted, be removed or leave", async () => {
  for (const way of Object.keys(await waysOut(await createOrganization(t)))) {
    const org = await createOrganization(t);
    await org.member({ role: "ORG_ADMIN" });
    const go = (await waysOut(org))[way];
    expect([way, await go?.()]).toEqual([way, way.startsWith("demotion") ? "200" : "204"]);
  }
});

test("the only member of an organization may leave or give up ORG_ADMIN", async () => {
  const [leaving, demoted, removed] = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ];
  const gone = await leaving.member();
  expect(await leave(gone)).toBe("204");
  expect(await leave(leaving.admin)).toBe("204");
  expect(await demote(demoted.admin, demoted.admin)).toBe("200");
  expect(await remove(await t.platformAdmin(), removed.admin, actingIn(removed))).toBe("204");
});

test("a platform administrator can delete the account of the only administrator", async () => {
  const [org, platformAdmin] = [await createOrganization(t), await t.platformAdmin()];
  const member = await org.member({ role: "ORG_ADMIN", unit: await org.unit("Sales") });
  await org.member();
  expectStatus(await platformAdmin.delete(`/api/users/${idOf(org.admin)}`), 204);
  const [event] = await eventsIn(t, org, "MEMBER_REMOVED");
  expect(event).toMatchObject({ actor_id: idOf(platformAdmin), target_id: idOf(org.admin) });
  // A unit administrator does not count as an administrator, so LAST_ADMIN does not apply.
  expect(await leave(member)).toBe("204");
});

test("a missing permission, a member out of reach and a role with permissions that the caller lacks are reported before LAST_ADMIN", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  expect(await demote(await org.member(), org.admin)).toBe("403 FORBIDDEN");
  expect(await demote(await org.member({ role: "UNIT_ADMIN", unit }), org.admin)).toBe("404 NOT_FOUND");
  expect(await demote(await org.member({ role: "UNIT_ADMIN" }), org.admin)).toBe("403 PERMISSION_NOT_HELD");
});
