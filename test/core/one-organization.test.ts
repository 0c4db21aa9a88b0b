import { expect, test } from "bun:test";
import { Glob } from "bun";
import * as tickets from "#sql/helpdesk/tickets";
import * as invitations from "#sql/invitations";
import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import * as roles from "#sql/roles";
import * as todos from "#sql/todos";
import * as units from "#sql/units";
import { MEMBER } from "../../src/core/access/catalog.ts";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { report } from "../support/helpdesk.ts";
import { invite } from "../support/invitations.ts";
import { createOrganization, type Organization, roleId } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus, sharedService } from "../support/service.ts";

/*
 * Statements that find a row by its id also compare its organization, and foreign keys tie memberships, roles and
 * units to one organization. So code that forgets to check the owner of an id cannot change another organization's
 * rows.
 */
const t = await sharedService();
const { db } = t.running;
const one = async <Row>(text: string, ...values: unknown[]) => exactlyOne(await t.sql<Row>(text, values));

/** Creates an organization with a record of each kind. */
async function furnished() {
  const org = await createOrganization(t);
  const person = await org.member();
  const unit = await org.unit("Unit");
  await org.unit("Below", unit);
  const role = await org.role(crypto.randomUUID(), "Units.Read");
  await org.link(person, unit);
  const assignments = [{ roleId: role, unitId: unit }];
  expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/roles`, { assignments }), 200);
  const { id: membership } = await one<{ id: string }>(
    "SELECT id FROM memberships WHERE organization_id = $1 AND user_id = $2",
    org.id,
    idOf(person),
  );
  const assignment = await one<{ id: string }>(
    "SELECT id FROM membership_assignments WHERE membership_id = $1",
    membership,
  );
  const invitation = expectStatus(await invite(org.admin, { roles: [{ role, unit }] }), 201).body.id;
  await t.age("user_invitations", { id: invitation }, { hours: 1 });
  const todo = expectStatus(await person.post("/api/todos", { title: "One" }), 201).body.id;
  const ticket = (await report(person)).id;
  return { org, unit, role, membership, assignment: assignment.id, invitation, todo, ticket };
}

/** Returns all rows of the tables whose statements are tested. */
async function everything() {
  const tables = [
    "todos",
    "tickets",
    "units",
    "roles",
    "membership_assignments",
    "membership_units",
    "user_invitations",
  ];
  const rows = tables.map((name) => t.sql(`SELECT r::text AS row FROM ${name} r ORDER BY 1`));
  return (await Promise.all(rows)).flat().map(({ row }) => row);
}

const { org, ...ids } = await furnished();
const other: Organization = await createOrganization(t);
const renewed = { tokenHash: "x", lifetimeDays: 7, resendAfterSeconds: 0, invitedById: idOf(org.admin) };

/** Each statement, run with the ids of `org`'s records and the given organization id; returns its rows. */
const STATEMENTS: Record<string, (organizationId: string) => Promise<unknown[]>> = {
  updateTodo: (organizationId) =>
    todos.updateTodo.run({ id: ids.todo, organizationId, title: "Two", completed: null }, db),
  deleteTodo: (organizationId) => todos.deleteTodo.run({ id: ids.todo, organizationId }, db),
  touchTicket: (organizationId) => tickets.touchTicket.run({ id: ids.ticket, organizationId }, db),
  setTicketStatus: (organizationId) =>
    tickets.setTicketStatus.run({ id: ids.ticket, organizationId, status: "CLOSED" }, db),
  deleteTicket: (organizationId) => tickets.deleteTicket.run({ id: ids.ticket, organizationId }, db),
  isUnitInUse: async (organizationId) =>
    (await units.isUnitInUse.run({ id: ids.unit, organizationId }, db)).filter(({ isInUse }) => isInUse),
  updateUnit: (organizationId) =>
    units.updateUnit.run({ id: ids.unit, organizationId, name: "New", parentId: null }, db),
  isRoleInUse: async (organizationId) =>
    (await roles.isRoleInUse.run({ id: ids.role, organizationId }, db)).filter(({ isInUse }) => isInUse),
  updateRole: (organizationId) =>
    roles.updateRole.run(
      { id: ids.role, organizationId, name: "New", description: "", permissions: [], known: [] },
      db,
    ),
  listInvitedRoles: (organizationId) =>
    invitations.listInvitedRoles.run({ id: ids.invitation, organizationId }, db),
  listInvitedUnits: (organizationId) =>
    invitations.listInvitedUnits.run({ id: ids.invitation, organizationId }, db),
  markInvitationSent: (organizationId) =>
    invitations.markInvitationSent.run({ id: ids.invitation, organizationId, ...renewed }, db),
  deleteInvitations: (organizationId) =>
    invitations.deleteInvitations.run({ ids: [ids.invitation], organizationId }, db),
  unlinkUnits: (organizationId) =>
    members.unlinkUnits.run({ membershipId: ids.membership, organizationId, unitIds: [ids.unit] }, db),
  deleteAssignments: (organizationId) =>
    memberships.deleteAssignments.run({ ids: [ids.assignment], organizationId }, db),
  deleteRole: (organizationId) => roles.deleteRole.run({ id: ids.role, organizationId }, db),
  deleteUnit: (organizationId) => units.deleteUnit.run({ id: ids.unit, organizationId }, db),
};

for (const [name, run] of Object.entries(STATEMENTS))
  test(`${name} matches no row if the organization id is another organization's`, async () => {
    const before = await everything();
    for (const id of [other.id, crypto.randomUUID()]) {
      expect(await run(id)).toEqual([]);
      expect(await everything()).toEqual(before);
    }
    const found = await run(org.id);
    // A read returns rows; a write changes at least one row.
    const reads = /^(is|list)/.test(name);
    expect([name, reads ? found.length > 0 : (await everything()).join() !== before.join()]).toEqual([
      name,
      true,
    ]);
  });

/** Statements that change an organization's rows without comparing the organization id, each with its reason. */
const WITHOUT: Record<string, string> = {
  markInvitationAccepted: "the token of the invitation was read under its lock",
  keepAssignments: "the connection was read in its organization, under its lock",
  expireInvitationsSentBefore: "an operator calls it after a restore, for all organizations",
};
const OF_ORGANIZATIONS =
  /(UPDATE|DELETE FROM) (todos|tickets|units|roles|memberships|membership_(assignments|units)|user_invitations)\b/;

test("every statement that changes rows of an organization compares the organization id", async () => {
  const unnamed: string[] = [];
  for await (const file of new Glob("**/*.sql").scan("sql")) {
    if (file === "schema.sql") continue;
    for (const part of (await Bun.file(`sql/${file}`).text()).split("/* @name ").slice(1)) {
      const statement = part.slice(part.indexOf("*/") + 2).replaceAll(/\/\*.*?\*\//gs, "");
      if (OF_ORGANIZATIONS.test(statement) && !/organization_id/.test(statement))
        unnamed.push(part.slice(0, part.indexOf(" ")));
    }
  }
  expect(unnamed.sort()).toEqual(Object.keys(WITHOUT).sort());
});

test("foreign keys tie membership, role, unit and parent unit to one organization", async () => {
  const [mine, theirs] = [await furnished(), await furnished()];
  const assign = "INSERT INTO membership_assignments (membership_id, role_id, unit_id) VALUES ($1, $2, $3)";
  const link = "INSERT INTO membership_units (membership_id, unit_id) VALUES ($1, $2)";
  const unit = "INSERT INTO units (organization_id, parent_id, name) VALUES ($1, $2, 'Below')";
  const refused: [string, unknown[]][] = [
    [assign, [mine.membership, theirs.role, null]],
    [assign, [mine.membership, MEMBER.id, theirs.unit]],
    ["UPDATE membership_assignments SET role_id = $2 WHERE id = $1", [mine.assignment, theirs.role]],
    ["UPDATE membership_assignments SET unit_id = $2 WHERE id = $1", [mine.assignment, theirs.unit]],
    [
      "UPDATE membership_assignments SET membership_id = $2 WHERE id = $1",
      [mine.assignment, theirs.membership],
    ],
    [link, [mine.membership, theirs.unit]],
    ["UPDATE membership_units SET unit_id = $2 WHERE membership_id = $1", [mine.membership, theirs.unit]],
    [unit, [mine.org.id, theirs.unit]],
    ["UPDATE units SET parent_id = $2 WHERE id = $1", [mine.unit, theirs.unit]],
    ["UPDATE roles SET organization_id = $2 WHERE id = $1", [mine.role, theirs.org.id]],
    ["UPDATE units SET organization_id = $2 WHERE id = $1", [mine.unit, theirs.org.id]],
    ["UPDATE memberships SET organization_id = $2 WHERE id = $1", [mine.membership, theirs.org.id]],
  ];
  for (const [statement, values] of refused) {
    const outcome = await t.sql(statement, values).then(
      () => "accepted",
      (error: { errno?: string }) => error.errno,
    );
    expect([statement, outcome]).toEqual([statement, "23503"]);
  }
  // References within one organization, and to built-in roles, are accepted.
  const within = await mine.org.unit("Within", mine.unit);
  await t.sql(assign, [mine.membership, mine.role, within]);
  await t.sql(assign, [mine.membership, roleId("UNIT_ADMIN"), null]);
});
