import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { acceptAs, invited } from "../../support/invitations.ts";
import { ACCOUNTS, createMachine, keyPath, type Machine } from "../../support/machines.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();

/*
 * A person who holds some permissions in one unit and others in the unit above cannot move a unit, or link a member, where they gain
 * from it. Neither may they split what they hold among service accounts, and let one of them act (rules 12.10).
 */

const OPERATIONS = [
  "Units.Read",
  "Units.Update",
  "Members.Read",
  "Members.UpdateRoles",
  "Members.UpdateUnits",
  "ServiceAccounts.Read",
  "ServiceAccounts.Create",
  "ApiKeys.Create",
];

type Scene = { org: Organization; area: string; mine: string; moved: string; operations: string };

/** The unit Area with Mine and Moved below it, and a role to operate on units and members. */
async function scene(): Promise<Scene> {
  const org = await createOrganization(t);
  const area = await org.unit("Area");
  const [mine, moved] = [await org.unit("Mine", area), await org.unit("Moved", area)];
  return { org, area, mine, moved, operations: await org.role("Operations", ...OPERATIONS) };
}

/** A member who operates in Area and administers Mine, with a service account for each of the two. */
async function split({ org, area, mine, operations }: Scene) {
  const operates = { role: operations, unit: area };
  const administers = { role: "UNIT_ADMIN", unit: mine };
  const person = await org.member(operates, administers);
  const by = { admin: person };
  return { person, bot: await createMachine(by, operates), hand: await createMachine(by, administers) };
}

const move = async (caller: Caller, { moved, mine }: Scene) =>
  outcome(await caller.patch(`/api/units/${moved}`, { parentId: mine }));
const changeRoles = async ({ org }: Scene, person: Caller, ...roles: { role: string; unit?: string }[]) =>
  expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/roles`, assignments(...roles)), 200);

const NOT_HELD = "403 PERMISSION_NOT_HELD";

test("a service account cannot move a unit to where its creator, or another service account of the creator, gains permissions", async () => {
  const set = await scene();
  const { person, bot, hand } = await split(set);
  for (const caller of [person, bot.caller]) expect(await move(caller, set)).toBe(NOT_HELD);
  // Alone, the service account for Mine neither sees nor moves the unit.
  expect(await move(hand.caller, set)).toBe("404 NOT_FOUND");

  // Without the person's own role, the other service account still gains.
  await changeRoles(set, person, { role: set.operations, unit: set.area });
  await person.refresh();
  for (const caller of [person, bot.caller]) expect(await move(caller, set)).toBe(NOT_HELD);

  // A disabled service account can be enabled again.
  expectStatus(await set.org.admin.patch(`${ACCOUNTS}/${hand.id}`, { enabled: false }), 200);
  for (const caller of [person, bot.caller]) expect(await move(caller, set)).toBe(NOT_HELD);
  expectStatus(await set.org.admin.delete(`${ACCOUNTS}/${hand.id}`), 204);
  expect(await move(bot.caller, set)).toBe("200");
});

test("whoever created a live key counts like the creator of the service account, also after they left", async () => {
  const set = await scene();
  const { org, area, mine } = set;
  const operates = { role: set.operations, unit: area };
  const person = await org.member(operates, { role: "UNIT_ADMIN", unit: mine });
  const bot = await createMachine({ admin: person }, operates);
  // The founder creates the service account, the person a key of it.
  const hand = await createMachine(org, { role: "UNIT_ADMIN", unit: mine });
  const key = expectStatus(await person.post(`${ACCOUNTS}/${hand.id}/keys`, { name: "CI" }), 201).body;
  const ownKey: Machine = { ...hand, keyId: key.id };
  await changeRoles(set, person, operates);
  expect(await move(bot.caller, set)).toBe(NOT_HELD);

  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  expect(await move(bot.caller, set)).toBe(NOT_HELD);
  expectStatus(await org.admin.delete(keyPath(ownKey)), 204);
  expect(await move(bot.caller, set)).toBe("200");
});

test("a service account cannot link a member to where its creator's side gains permissions, by unit or by role", async () => {
  const set = await scene();
  const { org, area, mine } = set;
  const { person, bot } = await split(set);
  const member = await org.member({ role: set.operations, unit: area });
  const reader = await org.role("Reader", "Members.Read");
  const [units, roles] = [`/api/members/${idOf(member)}/units`, `/api/members/${idOf(member)}/roles`];
  const both = assignments({ role: set.operations, unit: area }, { role: reader, unit: mine });
  for (const caller of [person, bot.caller]) {
    expect(outcome(await caller.patch(units, { unitIds: [area, mine] }))).toBe(NOT_HELD);
    expect(outcome(await caller.patch(roles, both))).toBe(NOT_HELD);
  }
  expect(outcome(await org.admin.patch(units, { unitIds: [area, mine] }))).toBe("200");
  // The member is in reach of Mine already, so nobody gains.
  expect(outcome(await bot.caller.patch(roles, both))).toBe("200");
});

test("a service account does not bring the history of a returning member into reach of its creator's side", async () => {
  const set = await scene();
  const { org, mine } = set;
  const operates = { role: set.operations };
  const person = await org.member(operates, { role: "UNIT_ADMIN", unit: mine });
  const bot = await createMachine({ admin: person }, operates);
  const honest = await createMachine(org, operates);
  const member = await org.member();
  const todo = expectStatus(await member.post("/api/todos", { title: "Before" }), 201).body.id;
  expectStatus(await org.admin.delete(`/api/members/${idOf(member)}`), 204);
  await member.login();
  const roles = [{ role: "MEMBER", unit: mine }];
  const { token } = await invited(t, org.admin, { email: member.email, roles });
  expectStatus(await acceptAs(member, token), 204);
  const link = (caller: Caller) => caller.patch(`/api/members/${idOf(member)}/units`, { unitIds: [mine] });
  const seen = async () => (await person.get(`/api/todos/${todo}`)).status;
  expectStatus(await link(bot.caller), 200);
  expect(await seen()).toBe(404);
  expectStatus(await link(honest.caller), 200);
  expect(await seen()).toBe(200);
});

test("service accounts of others do not stop a move, and a service account that holds the permissions moves", async () => {
  const set = await scene();
  const { org, area, mine } = set;
  await split(set);
  const honest = await createMachine(org, { role: set.operations, unit: area });
  expect(await move(honest.caller, set)).toBe("200");
  expectStatus(await org.admin.patch(`/api/units/${set.moved}`, { parentId: area }), 200);

  // The creator's other service account gains, but the one that moves holds the permissions already.
  const full = await createMachine(org, { role: "UNIT_ADMIN", unit: area });
  await createMachine(org, { role: "UNIT_ADMIN", unit: mine });
  expect(await move(full.caller, set)).toBe("200");
});
