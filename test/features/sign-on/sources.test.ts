import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { insertConnection, SIGN_ON } from "../../support/sign-on.ts";

const t = await startService(SIGN_ON);

/** Gives a member a role by a connection, without a sign-in. */
async function giveByGroup(
  org: Organization,
  person: Caller,
  connectionId: string,
  role: string,
  unit: string | null = null,
) {
  await t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id, unit_id, source, connection_id)
     SELECT id, $3, $4, 'sso', $5 FROM memberships WHERE organization_id = $1 AND user_id = $2`,
    [org.id, idOf(person), roleId(role), unit, connectionId],
  );
}
type Shown = { role: { name: string }; unit: { name: string } | null; source: string };
const shown = (body: { assignments: Shown[] }) =>
  body.assignments.map(({ role, unit, source }) => `${role.name} ${unit?.name ?? "everywhere"} ${source}`);
const path = (person: Caller) => `/api/members/${idOf(person)}`;
const give = (org: Organization, person: Caller, ...roles: { role: string; unit?: string }[]) =>
  org.admin.patch(`${path(person)}/roles`, assignments(...roles));

test("a role by hand and by groups of connections at one place is shown once for each source, and granted once", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await insertConnection(t, org), await insertConnection(t, org)];
  const person = await org.member({ role: "MEMBER" });
  for (const connection of [one, two]) await giveByGroup(org, person, connection, "MEMBER");
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
  await giveByGroup(org, person, connection, "UNIT_ADMIN", unit);
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
  await giveByGroup(org, person, connection, "ORG_ADMIN");
  expectStatus(await changer.patch(`${path(person)}/roles`, assignments()), 200);
  expect(shown((await org.admin.get(path(person))).body)).toEqual(["ORG_ADMIN everywhere sso"]);
});

test("an administrator by a group does not count for LAST_ADMIN, and may go", async () => {
  const org = await createOrganization(t);
  const connection = await insertConnection(t, org);
  const person = await org.member({ role: "MEMBER" });
  await giveByGroup(org, person, connection, "ORG_ADMIN");
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
