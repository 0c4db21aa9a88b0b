import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { typesOf } from "../../support/notifications.ts";
import { assignments, createOrganization, type Organization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { giveBy, insertConnection } from "../../support/sign-on.ts";
import { type Connection, connect, mapGroup, signedInBy, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";

const provider = await SsoProvider.start();
const t = await sharedService();
const connected = async () => connect(t, await createOrganization(t), provider);

type Shown = { role: { name: string }; unit: { name: string } | null; source: string };
const shown = (body: { assignments: Shown[] }) =>
  body.assignments.map(({ role, unit, source }) => `${role.name} ${unit?.name ?? "everywhere"} ${source}`);
const rolesOf = async ({ organization }: Connection, userId: string): Promise<string[]> =>
  shown(expectStatus(await organization.admin.get(`/api/members/${userId}`), 200).body);
const path = (person: Caller) => `/api/members/${idOf(person)}`;
const give = (org: Organization, person: Caller, ...roles: { role: string; unit?: string }[]) =>
  org.admin.patch(`${path(person)}/roles`, assignments(...roles));
const lastError = async ({ id }: Connection) =>
  (await t.sql("SELECT last_error_code FROM sso_connections WHERE id = $1", [id]))[0]?.last_error_code;
const groupsOf = async ({ id }: Connection) =>
  (await t.sql<{ groups: string[] }>("SELECT groups FROM sso_identities WHERE connection_id = $1", [id]))[0]
    ?.groups;

test("groups that are missing, too many, or give too many roles change nothing and are told to administrators", async () => {
  const acme = await connected();
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"));
  const grace = somebody(acme);
  const { sub } = claims((await signedInBy(t, acme, { ...grace, groups: ["sellers"] })).caller);
  const before = await eventsIn(t, acme.organization, "MEMBER_ROLES_CHANGED");
  for (let count = 0; count < 51; count += 1)
    await mapGroup(t, acme, "many", roleId("MEMBER"), await acme.organization.unit(`Unit ${count}`));
  const pointer = {
    _claim_names: { groups: "src1" },
    _claim_sources: { src1: { endpoint: "https://x.test" } },
  };
  const answers: [string, Record<string, unknown>, string][] = [
    ["none", {}, "GROUPS_MISSING"],
    ["a pointer", pointer, "GROUPS_MISSING"],
    ["an object", { groups: { sellers: true } }, "GROUPS_MISSING"],
    ["numbers", { groups: [1, 2] }, "GROUPS_MISSING"],
    ["1,001", { groups: Array.from({ length: 1_001 }, (_, index) => `group ${index}`) }, "GROUPS_TOO_MANY"],
    ["51 roles", { groups: ["many"] }, "ASSIGNMENTS_TOO_MANY"],
  ];
  for (const [name, told, code] of answers) {
    await signedInBy(t, acme, { ...grace, ...told });
    expect([name, await rolesOf(acme, sub)]).toEqual([name, ["UNIT_ADMIN everywhere sso"]]);
    expect([name, await lastError(acme)]).toEqual([name, code]);
  }
  expect(await eventsIn(t, acme.organization, "MEMBER_ROLES_CHANGED")).toEqual(before);
});

test("somebody new whose groups change nothing gets the defaults", async () => {
  const acme = await connected();
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"));
  const { sub } = claims((await signedInBy(t, acme, somebody(acme))).caller);
  expect(await rolesOf(acme, sub)).toEqual(["MEMBER everywhere sso"]);
  expect(await lastError(acme)).toBe("GROUPS_MISSING");
});

test("without mappings, a provider that sends no groups is no error", async () => {
  const acme = await connected();
  await signedInBy(t, acme, somebody(acme));
  expect(await lastError(acme)).toBeNull();
});

test("groups are compared byte for byte", async () => {
  const acme = await connected();
  await mapGroup(t, acme, "Sellers", roleId("UNIT_ADMIN"));
  for (const group of ["sellers", "Sellers ", " Sellers", "Sеllers"]) {
    const { sub } = claims((await signedInBy(t, acme, somebody(acme, { groups: [group] }))).caller);
    expect([group, await rolesOf(acme, sub)]).toEqual([group, ["MEMBER everywhere sso"]]);
  }
  const { sub } = claims((await signedInBy(t, acme, somebody(acme, { groups: ["Sellers"] }))).caller);
  expect(await rolesOf(acme, sub)).toEqual(["UNIT_ADMIN everywhere sso"]);
});

test("the defaults stand in for somebody without any role, and go when a group or somebody gives one", async () => {
  const acme = await connected();
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"));
  const grace = somebody(acme);
  const { sub } = claims((await signedInBy(t, acme, { ...grace, groups: [] })).caller);
  expect(await rolesOf(acme, sub)).toEqual(["MEMBER everywhere sso"]);
  await signedInBy(t, acme, { ...grace, groups: ["sellers"] });
  expect(await rolesOf(acme, sub)).toEqual(["UNIT_ADMIN everywhere sso"]);
  await signedInBy(t, acme, { ...grace, groups: [] });
  expect(await rolesOf(acme, sub)).toEqual(["MEMBER everywhere sso"]);
  const byHand = assignments({ role: "MEMBER" });
  expectStatus(await acme.organization.admin.patch(`/api/members/${sub}/roles`, byHand), 200);
  await signedInBy(t, acme, { ...grace, groups: [] });
  expect(await rolesOf(acme, sub)).toEqual(["MEMBER everywhere manual"]);
});

test("a sign-in with the same groups changes nothing and tells nobody", async () => {
  const acme = await connected();
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"));
  const grace = somebody(acme, { groups: ["sellers"] });
  const { caller } = await signedInBy(t, acme, grace);
  await signedInBy(t, acme, grace);
  expect(await eventsIn(t, acme.organization, "MEMBER_ROLES_CHANGED")).toEqual([]);
  expect(await typesOf(caller)).not.toContain("ROLES_CHANGED");
  expect(await groupsOf(acme)).toEqual(["sellers"]);
});

test("a change by groups is told to the person and to other systems, with the earlier roles", async () => {
  const acme = await connected();
  const unit = await acme.organization.unit("Sales");
  const grace = somebody(acme);
  const { caller } = await signedInBy(t, acme, { ...grace, groups: [] });
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"), unit);
  await signedInBy(t, acme, { ...grace, groups: ["sellers"] });
  const [told] = (await caller.get("/api/notifications")).body.data;
  expect(told).toMatchObject({
    type: "ROLES_CHANGED",
    data: {
      added: [{ roleName: "UNIT_ADMIN", unitName: "Sales" }],
      removed: [{ roleName: "MEMBER" }],
      organizationId: acme.organization.id,
    },
  });
  const [change] = await eventsIn(t, acme.organization, "MEMBER_ROLES_CHANGED");
  expect(change?.metadata).toMatchObject({ via: "sso", connectionId: acme.id });
});

test("a role by a group is in the token of the sign-in that brought it", async () => {
  const acme = await connected();
  await mapGroup(t, acme, "admins", roleId("ORG_ADMIN"));
  const { caller } = await signedInBy(t, acme, somebody(acme, { groups: ["admins"] }));
  expect(claims(caller).roles).toEqual(["ORG_ADMIN"]);
  expectStatus(await caller.get("/api/members"), 200);
});

test("becoming a platform administrator ends the identities of connections and their proofs", async () => {
  const acme = await connected();
  const { caller } = await signedInBy(t, acme, somebody(acme));
  const admin = await t.platformAdmin();
  const { sub, sid } = claims(caller);
  expectStatus(await admin.patch(`/api/users/${sub}`, { isPlatformAdmin: true }), 200);
  expect(await t.sql("SELECT FROM sso_identities WHERE user_id = $1", [sub])).toEqual([]);
  expect(await t.sql("SELECT FROM session_proofs WHERE session_id = $1", [sid])).toEqual([]);
  expect(outcome(await caller.get("/api/users"))).not.toBe("200");
});

test("what the groups of a deleted connection gave stays by hand, and the next token of its session is for no organization", async () => {
  const acme = await connected();
  const unit = await acme.organization.unit("Sales");
  await mapGroup(t, acme, "sellers", roleId("UNIT_ADMIN"), unit);
  const { caller } = await signedInBy(t, acme, somebody(acme, { groups: ["sellers"] }));
  const { sub, sid } = claims(caller);
  expectStatus(await acme.organization.admin.delete(`/api/organization/connections/${acme.id}`), 204);
  expect(await rolesOf(acme, sub)).toEqual(["UNIT_ADMIN Sales manual"]);
  expect(await t.sql("SELECT FROM sso_identities WHERE user_id = $1", [sub])).toEqual([]);
  expectStatus(await caller.refresh(), 200);
  expect(claims(caller)).toMatchObject({ sid, organization: null, confined: true });
  const switched = await caller.post("/api/auth/organization", { organizationId: acme.organization.id });
  expect(outcome(switched)).toBe("403 REAUTHENTICATION_REQUIRED");
});

test("a role by hand and by groups of connections at one place is shown once for each source, and granted once", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await insertConnection(t, org), await insertConnection(t, org)];
  const person = await org.member({ role: "MEMBER" });
  for (const connection of [one, two]) await giveBy(t, org, connection, { role: "MEMBER" }, person);
  const { body } = expectStatus(await org.admin.get(path(person)), 200);
  expect(shown(body)).toEqual(["MEMBER everywhere manual", "MEMBER everywhere sso"]);
  const listed = (await org.admin.get("/api/members")).body.data;
  expect(listed.find(({ userId }: { userId: string }) => userId === idOf(person))).toEqual(body);
  const own = (await person.get("/api/auth/organizations")).body[0];
  expect(own.roles).toEqual(["MEMBER"]);

  expectStatus(await org.admin.delete(path(person)), 204);
  const [removed] = await eventsIn(t, org, "MEMBER_REMOVED");
  expect(removed?.metadata.roles).toHaveLength(1);
});

test("a change of roles replaces those by hand alone, and the others are enough to keep one", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const connection = await insertConnection(t, org);
  const person = await org.member({ role: "MEMBER" });
  expect(outcome(await give(org, person))).toBe("400 VALIDATION_FAILED");
  await giveBy(t, org, connection, { role: "UNIT_ADMIN", unit }, person);
  const { body } = expectStatus(await give(org, person), 200);
  expect(shown(body)).toEqual(["UNIT_ADMIN Sales sso"]);
  const again = expectStatus(await give(org, person, { role: "UNIT_ADMIN", unit }), 200).body;
  expect(shown(again)).toEqual(["UNIT_ADMIN Sales manual", "UNIT_ADMIN Sales sso"]);
});

test("roles by a group need not be held by whoever changes those by hand", async () => {
  const org = await createOrganization(t);
  const connection = await insertConnection(t, org);
  const helper = await org.role("Helper", "Members.Read", "Members.UpdateRoles", "Todos.Read");
  const clerk = await org.role("Clerk", "Todos.Read");
  const changer = await org.member({ role: helper });
  const person = await org.member({ role: clerk });
  await giveBy(t, org, connection, { role: "ORG_ADMIN" }, person);
  expectStatus(await changer.patch(`${path(person)}/roles`, assignments()), 200);
  expect(shown((await org.admin.get(path(person))).body)).toEqual(["ORG_ADMIN everywhere sso"]);
});

test("an administrator by a group does not count for LAST_ADMIN, and may go", async () => {
  const org = await createOrganization(t);
  const connection = await insertConnection(t, org);
  const person = await org.member({ role: "MEMBER" });
  await giveBy(t, org, connection, { role: "ORG_ADMIN" }, person);
  await person.refresh();
  expect(outcome(await org.admin.post("/api/organization/leave"))).toBe("409 LAST_ADMIN");
  expect(outcome(await give(org, org.admin, { role: "MEMBER" }))).toBe("409 LAST_ADMIN");
  expect(outcome(await person.post("/api/organization/leave"))).toBe("204");
});

test("the end of a membership says whether the person left or was removed, until the person returns", async () => {
  const org = await createOrganization(t);
  const [left, removed] = [await org.member(), await org.member()];
  const endOf = async (person: Caller) =>
    (
      await t.sql<{ ended_as: string | null }>(
        "SELECT ended_as FROM memberships WHERE organization_id = $1 AND user_id = $2",
        [org.id, idOf(person)],
      )
    )[0]?.ended_as;
  expectStatus(await left.post("/api/organization/leave"), 204);
  expectStatus(await org.admin.delete(path(removed)), 204);
  expect([await endOf(left), await endOf(removed)]).toEqual(["left", "removed"]);
  await org.add(removed, { role: "MEMBER" });
  expect(await endOf(removed)).toBeNull();
});
