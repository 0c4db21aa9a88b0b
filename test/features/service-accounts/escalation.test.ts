import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { acceptAs, invited } from "../../support/invitations.ts";
import { ACCOUNTS, createMachine, keyPath, type Machine } from "../../support/machines.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/*
 * A user with different permissions in a unit and in its parent cannot move a unit, or add a member to a unit, if they
 * would gain permissions over it. Nor can they split their permissions among service accounts to do so (rules 12.10).
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

/** Creates the unit Area with sub-units Mine and Moved, and a role with permissions over units and members. */
async function scene(): Promise<Scene> {
  const org = await createOrganization(t);
  const area = await org.unit("Area");
  const [mine, moved] = [await org.unit("Mine", area), await org.unit("Moved", area)];
  return { org, area, mine, moved, operations: await org.role("Operations", ...OPERATIONS) };
}

/** Creates a member with that role in Area and UNIT_ADMIN in Mine, and a service account with each of the two roles. */
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
  // The service account with UNIT_ADMIN in Mine does not see the unit Moved.
  expect(await move(hand.caller, set)).toBe("404 NOT_FOUND");

  // After the member lost UNIT_ADMIN, the other service account would still gain permissions.
  await changeRoles(set, person, { role: set.operations, unit: set.area });
  await person.refresh();
  for (const caller of [person, bot.caller]) expect(await move(caller, set)).toBe(NOT_HELD);

  // A disabled service account still counts, because it can be enabled again.
  expectStatus(await set.org.admin.patch(`${ACCOUNTS}/${hand.id}`, { enabled: false }), 200);
  for (const caller of [person, bot.caller]) expect(await move(caller, set)).toBe(NOT_HELD);
  expectStatus(await set.org.admin.delete(`${ACCOUNTS}/${hand.id}`), 204);
  expect(await move(bot.caller, set)).toBe("200");
});

test("for escalation checks, the creator of an active API key counts like the creator of the service account, also after leaving", async () => {
  const set = await scene();
  const { org, area, mine } = set;
  const operates = { role: set.operations, unit: area };
  const person = await org.member(operates, { role: "UNIT_ADMIN", unit: mine });
  const bot = await createMachine({ admin: person }, operates);
  // The founder creates the service account, and the member creates a key of it.
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

test("a service account cannot add a member to a unit, directly or by a role, if its creator or the creator's other accounts gain permissions", async () => {
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
  // The member is already in Mine, so nobody gains permissions.
  expect(outcome(await bot.caller.patch(roles, both))).toBe("200");
});

test("a service account that adds a returning member to a unit does not make earlier activity visible to its creator there", async () => {
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

test("a service account can move a unit if only other creators' accounts gain permissions, or if it has the permissions itself", async () => {
  const set = await scene();
  const { org, area, mine } = set;
  await split(set);
  const honest = await createMachine(org, { role: set.operations, unit: area });
  expect(await move(honest.caller, set)).toBe("200");
  expectStatus(await org.admin.patch(`/api/units/${set.moved}`, { parentId: area }), 200);

  // The creator's other service account gains permissions that the moving one already has.
  const full = await createMachine(org, { role: "UNIT_ADMIN", unit: area });
  await createMachine(org, { role: "UNIT_ADMIN", unit: mine });
  expect(await move(full.caller, set)).toBe("200");
});
