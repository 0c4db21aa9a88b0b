import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { createOrganization, type Organization, roleId } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await sharedService();

const remove = async (caller: Caller, person: Caller, options = {}) =>
  outcome(await caller.delete(`/api/members/${idOf(person)}`, options));
const isMember = async (org: Organization, person: Caller) =>
  (await org.admin.get(`/api/members/${idOf(person)}`)).status === 200;
const organizationOf = (person: Caller) => claimsOf(person.accessToken ?? "").organization?.id ?? null;

/** Signs the user in with another browser, and switches that session to the organization. */
async function actingElsewhere(person: Caller, { id }: { id: string }): Promise<Caller> {
  const browser = await inAnotherBrowser(person);
  expectStatus(await browser.post("/api/auth/organization", { organizationId: id }), 200);
  return browser;
}

test("removing a member writes an audit event with the roles that the member had", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const person = await org.member({ role: "MEMBER" }, { role: "UNIT_ADMIN", unit });
  expect(await remove(org.admin, person)).toBe("204");
  expect(await remove(org.admin, person)).toBe("404 NOT_FOUND");
  const [event, ...more] = await eventsIn(t, org, "MEMBER_");
  expect([event, more]).toEqual([
    {
      action: "MEMBER_REMOVED",
      actor_id: idOf(org.admin),
      target_type: "user",
      target_id: idOf(person),
      metadata: {
        roles: [
          { roleId: roleId("MEMBER"), roleName: "MEMBER", unitId: null, unitName: null },
          { roleId: roleId("UNIT_ADMIN"), roleName: "UNIT_ADMIN", unitId: unit, unitName: "Sales" },
        ],
      },
    },
    [],
  ]);
  const { data } = (await org.admin.get("/api/units")).body;
  expect(data.map(({ memberCount }: { memberCount: number }) => memberCount)).toEqual([0]);
  expect((await person.get("/api/auth/organizations")).body).toEqual([]);
});

test("a removed member's sessions in the organization are 401 INVALID_REFRESH_TOKEN; sessions in others stay valid", async () => {
  const [org, own] = [await createOrganization(t), await createOrganization(t)];
  const person = own.admin;
  await org.add(person);
  const [here, alsoHere] = [await actingElsewhere(person, org), await actingElsewhere(person, org)];
  const stale = sameBrowser(here);
  expectStatus(await here.refresh(), 200);
  expect(organizationOf(here)).toBe(org.id);

  expect(await remove(org.admin, person)).toBe("204");
  for (const ended of [here, alsoHere, stale]) {
    const response = await ended.refresh();
    expect([outcome(response), response.cookie]).toEqual(["401 INVALID_REFRESH_TOKEN", ""]);
  }
  expectStatus(await person.refresh(), 200);
  expect(organizationOf(person)).toBe(own.id);
  const thefts = "SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED' AND target_id = $1";
  expect(await t.sql(thefts, [idOf(person)])).toEqual([]);
});

// Rules 5.12: all refresh tokens bound to the organization are deleted, also revoked ones.
test("removing a member deletes all refresh tokens in the organization, also one that a switch replaced", async () => {
  const [org, own] = [await createOrganization(t), await createOrganization(t)];
  const person = own.admin;
  await org.add(person);
  const browser = await actingElsewhere(person, org);
  expectStatus(await browser.post("/api/auth/organization", { organizationId: own.id }), 200);
  expect(await remove(org.admin, person)).toBe("204");
  const bound = "SELECT FROM refresh_tokens WHERE user_id = $1 AND organization_id = $2";
  expect(await t.sql(bound, [idOf(person), org.id])).toHaveLength(0);
  expectStatus(await browser.refresh(), 200);
  expect(organizationOf(browser)).toBe(own.id);
});

test("members cannot remove themselves", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  await org.member({ role: "ORG_ADMIN" });
  expect(await remove(org.admin, org.admin)).toBe("409 CONFLICT");
  const shouted = `/api/members/${idOf(org.admin).toUpperCase()}`;
  expect(outcome(await org.admin.delete(shouted))).toBe("409 CONFLICT");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  expect(await remove(unitAdmin, unitAdmin)).toBe("409 CONFLICT");
  expect(await isMember(org, unitAdmin)).toBe(true);
});

test("a unit administrator can remove only members without roles or units elsewhere; others are 404", async () => {
  const org = await createOrganization(t);
  const [top, beside] = [await org.unit("Top"), await org.unit("Beside")];
  const below = await org.unit("Below", top);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: top });
  const inside = await org.member({ role: "MEMBER", unit: below }, { role: "UNIT_ADMIN", unit: top });
  const linkedBeside = await org.member({ role: "MEMBER", unit: below });
  await org.link(linkedBeside, beside);
  const others = [
    await org.member({ role: "MEMBER", unit: below }, { role: "MEMBER", unit: beside }),
    await org.member({ role: "MEMBER", unit: below }, { role: "MEMBER" }),
    linkedBeside,
    await org.member({ role: "MEMBER", unit: beside }),
    org.admin,
    await t.person(),
  ];
  for (const person of others) expect(await remove(unitAdmin, person)).toBe("404 NOT_FOUND");
  expect(await remove(unitAdmin, inside)).toBe("204");
  expect(await isMember(org, inside)).toBe(false);
  expect(await eventsIn(t, org, "MEMBER_REMOVED")).toHaveLength(1);
});

test("a member with permissions that the caller lacks cannot be removed", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const above = await org.member({ role: "ORG_ADMIN", unit });
  expect(await remove(unitAdmin, above)).toBe("403 PERMISSION_NOT_HELD");

  const remover = await org.role("Remover", "Members.Delete", "Members.Read");
  const reader = await org.role("Reader", "Members.Read");
  const caller = await org.member({ role: remover });
  for (const person of [org.admin, above, unitAdmin, await org.member()])
    expect(await remove(caller, person)).toBe("403 PERMISSION_NOT_HELD");
  expect(await remove(caller, await org.member({ role: reader }, { role: remover, unit }))).toBe("204");
  expect(await remove(await org.member({ role: reader }), caller)).toBe("403 FORBIDDEN");
});

test("removing a member of another organization is 404 and with an invalid id 400; a platform administrator can remove members", async () => {
  const [org, other, admin] = [
    await createOrganization(t),
    await createOrganization(t),
    await t.platformAdmin(),
  ];
  const person = await org.member();
  expect(await remove(other.admin, person)).toBe("404 NOT_FOUND");
  expect(await remove(admin, person, actingIn(other))).toBe("404 NOT_FOUND");
  expect(await remove(admin, person)).toBe("400 ORGANIZATION_REQUIRED");
  expect(messages(await org.admin.delete("/api/members/none"))).toEqual(["userId must be a UUID"]);
  expect(await isMember(org, person)).toBe(true);
  expect(await remove(admin, person, actingIn(org))).toBe("204");
  await org.add(admin);
  expect(await remove(admin, admin, actingIn(org))).toBe("409 CONFLICT");
});

test("after a user leaves an organization, the next refresh switches the session to another one or to none", async () => {
  const [org, own] = [await createOrganization(t), await createOrganization(t)];
  await org.add(own.admin, { role: "MEMBER" });
  const [person, only] = [await actingElsewhere(own.admin, org), await org.member()];
  for (const leaver of [person, only]) {
    expectStatus(await leaver.post("/api/organization/leave"), 204);
    expectStatus(await leaver.refresh(), 200);
    expect(await isMember(org, leaver)).toBe(false);
  }
  expect(organizationOf(person)).toBe(own.id);
  expect(organizationOf(only)).toBeNull();
  expect(outcome(await only.post("/api/organization/leave"))).toBe("403 ORGANIZATION_REQUIRED");
  const rows = await tokenRows(t, only.email);
  expect(rows.filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);

  const told = { action: "MEMBER_LEFT", target_type: "user" };
  const roles = [{ roleId: roleId("MEMBER"), roleName: "MEMBER", unitId: null, unitName: null }];
  expect(await eventsIn(t, org, "MEMBER_")).toEqual(
    [person, only].map((leaver) => ({
      ...told,
      actor_id: idOf(leaver),
      target_id: idOf(leaver),
      metadata: { roles },
    })),
  );
});

test("leaving an organization needs no permission, and is refused for platform administrators", async () => {
  const org = await createOrganization(t);
  const person = await org.member({ role: await org.role("Nothing") });
  expectStatus(await person.post("/api/organization/leave"), 204);
  const admin = await t.platformAdmin();
  await org.add(admin);
  expect(outcome(await admin.post("/api/organization/leave", undefined, actingIn(org)))).toBe(
    "403 FORBIDDEN",
  );
  expect(await isMember(org, admin)).toBe(true);
});
