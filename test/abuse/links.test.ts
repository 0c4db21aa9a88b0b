import { expect, test } from "bun:test";
import type { Caller } from "../support/caller.ts";
import { assignments, createOrganization, type RoleAssignment } from "../support/organizations.ts";
import { idOf, outcome } from "../support/outcomes.ts";
import { expectStatus, sharedService } from "../support/service.ts";

const t = await sharedService();

const giveRoles = (caller: Caller, person: Caller, ...roles: RoleAssignment[]) =>
  caller.patch(`/api/members/${idOf(person)}/roles`, assignments(...roles));

/**
 * Creates a caller who may assign roles organization-wide and has more permissions in one unit, and a member outside
 * that unit with a todo.
 */
async function place() {
  const org = await createOrganization(t);
  const [own, other] = [await org.unit("Own"), await org.unit("Other")];
  const below = await org.unit("Below", own);
  const empty = await org.role("Empty");
  const giver = await org.role("Giver", "Members.Read", "Members.UpdateRoles", "Members.UpdateUnits");
  const caller = await org.member({ role: giver }, { role: "UNIT_ADMIN", unit: own });
  const stranger = await org.member({ role: "MEMBER" }, { role: "MEMBER", unit: other });
  const todo = expectStatus(await stranger.post("/api/todos", { title: "Secret" }), 201).body.id;
  return { org, own, other, below, empty, caller, stranger, todo };
}

test("assigning a role without permissions in a unit does not give access to another user's todos", async () => {
  const { own, other, below, empty, caller, stranger, todo } = await place();
  const kept = [{ role: "MEMBER" }, { role: "MEMBER", unit: other }];
  const linking = [
    await caller.patch(`/api/members/${idOf(stranger)}/units`, { unitIds: [other, own] }),
    await giveRoles(caller, stranger, ...kept, { role: empty, unit: own }),
    await giveRoles(caller, stranger, ...kept, { role: empty, unit: below }),
    await giveRoles(caller, stranger, ...kept, { role: empty, unit: other }, { role: empty, unit: below }),
  ];
  expect(linking.map(outcome)).toEqual(Array(4).fill("403 PERMISSION_NOT_HELD"));
  const { body } = await caller.get("/api/todos/all");
  expect([body.total, body.data]).toEqual([0, []]);
  expect(outcome(await caller.delete(`/api/todos/${todo}`))).toBe("404 NOT_FOUND");
  expectStatus(await stranger.get(`/api/todos/${todo}`), 200);
});

test("a role may be assigned in a unit if that gives the assigner no new access to the member", async () => {
  const { org, own, other, below, empty, caller, stranger } = await place();
  const kept = [{ role: "MEMBER" }, { role: "MEMBER", unit: other }];
  // The member gets a role in their own unit, and one in a unit where the caller gains no permissions.
  expectStatus(await giveRoles(caller, stranger, ...kept, { role: empty, unit: other }), 200);
  const third = await org.unit("Third");
  expectStatus(await giveRoles(caller, stranger, ...kept, { role: empty, unit: third }), 200);
  // The member is already in the caller's units.
  const mine = await org.member({ role: empty, unit: below });
  expectStatus(await giveRoles(caller, mine, { role: empty, unit: own }, { role: empty, unit: below }), 200);
  // The caller has all permissions organization-wide.
  expectStatus(await giveRoles(org.admin, stranger, ...kept, { role: "MEMBER", unit: own }), 200);
});
