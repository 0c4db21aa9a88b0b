import { expect, test } from "bun:test";
import type { Target } from "../../../src/core/effects/audit.ts";
import { allEvents, traced } from "../../support/audit.ts";
import {
  auditWorld,
  giveRoles,
  newUnit,
  remove,
  rename,
  type Send,
  sendInvitation,
  setUnits,
} from "../../support/audit-world.ts";
import { acceptNew, INVITATIONS, invited, resend, revoke, settle } from "../../support/invitations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Which events a unit administrator sees, by the target of the event (rules 16.14). */

const t = await sharedService();

test("events about a user are visible if the user is or ever was in the subtree", async () => {
  const { org, above, own, below, side, viewer, insider, shows, sees } = await auditWorld(t);
  const member = (unit: string | null) => org.member({ role: "MEMBER", unit });
  const named = await org.role("Named", "Units.Read");
  for (const [person, seen] of [
    [await member(own), true],
    [await member(below), true],
    [await member(above), false],
    [await member(side), false],
    [await member(null), false],
    [viewer, true],
    [insider, true],
  ] as const) {
    const kept = expectStatus(await insider.get(`/api/members/${idOf(person)}`), 200).body.assignments.map(
      ({ role, unit }: { role: { id: string }; unit: { id: string } | null }) => ({
        role: role.id,
        unit: unit?.id,
      }),
    );
    expect(await shows(giveRoles(insider, person, ...kept, { role: named, unit: side }))).toBe(seen);
  }
  // A member inside and outside the subtree, a member who has left it, and removed members.
  const both = await org.member({ role: "MEMBER", unit: side }, { role: "MEMBER", unit: below });
  expect(await shows(setUnits(insider, both, side, below, above))).toBe(true);
  const moved = await org.member();
  await org.link(moved, below);
  expect(await shows(setUnits(insider, moved, side))).toBe(true);
  expect(await shows(setUnits(insider, moved, above))).toBe(true);
  const [removed, outside] = [await member(below), await member(side)];
  expect(await shows(remove(insider, removed))).toBe(true);
  expect(await shows(remove(insider, outside))).toBe(false);
  expect(
    await sees(await traced((options) => both.post("/api/organization/leave", undefined, options))),
  ).toBe(true);
});

test("events about a unit are visible within its subtree, deleted units included", async () => {
  const { org, above, own, below, side, insider, shows, sees } = await auditWorld(t);
  for (const [unit, seen] of [
    [own, true],
    [below, true],
    [above, false],
    [side, false],
  ] as const) {
    expect(await shows(rename(insider, unit))).toBe(seen);
    expect(await shows(newUnit(insider, unit))).toBe(unit === own || unit === below);
  }
  const drop =
    (id: string): Send =>
    (options) =>
      insider.delete(`/api/units/${id}`, options);
  const deep = await org.unit("Deep", below);
  const deeper = await org.unit("Deeper", deep);
  const renamed = await traced(rename(insider, deeper));
  expect(await shows(drop(deeper))).toBe(true);
  expect(await shows(drop(deep))).toBe(true);
  expect(await sees(renamed)).toBe(true);
  expect(await shows(drop(await org.unit("Outside", side)))).toBe(false);

  // The unit's current position decides.
  const wanderer = await org.unit("Wanderer", side);
  const before = await traced(rename(insider, wanderer));
  expect(await sees(before)).toBe(false);
  const move =
    (parentId: string): Send =>
    (options) =>
      insider.patch(`/api/units/${wanderer}`, { parentId }, options);
  expect(await shows(move(below))).toBe(true);
  expect(await sees(before)).toBe(true);
  expect(await shows(move(side))).toBe(false);
});

test("an invitation's events are visible if all of its assignments are in the subtree, whatever its state", async () => {
  const { org, above, own, below, side, insider, shows } = await auditWorld(t);
  const member = (unit: string | null) => ({ role: "MEMBER", unit });
  for (const [roles, seen] of [
    [[member(own)], true],
    [[member(below)], true],
    [[member(own), member(below), { role: "UNIT_ADMIN", unit: below }], true],
    [[member(side)], false],
    [[member(above)], false],
    [[member(null)], false],
    [[member(below), member(side)], false],
    [[member(below), member(null)], false],
  ] as const) {
    const invitation = await invited(t, insider, { roles: [...roles] });
    await settle(t, invitation);
    expect(await shows((options) => resend(insider, invitation.id, options))).toBe(seen);
    expect(await shows((options) => revoke(insider, invitation.id, options))).toBe(seen);
    expect(await shows(sendInvitation(insider, ...roles))).toBe(seen);
  }
  const gone = await org.unit("Gone", below);
  const { id } = await invited(t, insider, { roles: [member(gone)] });
  expect(await shows((options) => insider.delete(`${INVITATIONS}/${id}`, options))).toBe(true);
  expectStatus(await insider.delete(`/api/units/${gone}`), 204);
});

test("events of revoked, superseded and accepted invitations stay visible, also those of invitations to a deleted unit", async () => {
  const { org, below, viewer, insider } = await auditWorld(t);
  const gone = await org.unit("Gone", below);
  const roles = [{ role: "MEMBER", unit: gone }];
  const first = await invited(t, insider, { roles });
  const second = await invited(t, insider, { roles, email: first.email });
  await revoke(insider, second.id);
  const accepted = await invited(t, insider, { roles: [{ role: "MEMBER", unit: below }] });
  expectStatus(await acceptNew(t, accepted.token), 204);
  expectStatus(await insider.delete(`/api/units/${gone}`), 204);
  const seen = async (id: string) =>
    (await allEvents(viewer, `targetId=${id}&order=asc`)).map(({ action }) => action);
  expect(await seen(first.id)).toEqual(["USER_INVITED"]);
  expect(await seen(second.id)).toEqual(["USER_INVITED", "USER_INVITATION_REVOKED"]);
  expect(await seen(accepted.id)).toEqual(["USER_INVITED"]);
});

test("events about a role, the organization or a higher unit are hidden from a unit administrator", async () => {
  const { org, insider, shows, telling } = await auditWorld(t);
  const role = await org.role("Old", "Units.Read");
  const changes: Send[] = [
    (options) => insider.post("/api/roles", { name: "New", permissions: [] }, options),
    (options) => insider.patch(`/api/roles/${role}`, { name: "Newer" }, options),
    (options) => insider.delete(`/api/roles/${role}`, options),
    (options) => insider.patch("/api/organization", { name: "Other" }, options),
    (options) => insider.post("/api/auth/organization", { organizationId: org.id }, options),
  ];
  for (const change of changes) expect(await shows(change)).toBe(false);
  expect(await telling({ actorId: idOf(insider), target: { type: "organization", id: org.id } })).toBe(false);
});

test("events about a ticket are visible if its reporter is in the subtree; events with other targets or without one are always visible", async () => {
  const { org, side, viewer, insider, telling } = await auditWorld(t);
  const outside = await org.member({ role: "MEMBER", unit: side });
  const by = (target: Target | null) => telling({ actorId: idOf(insider), target });
  const id = crypto.randomUUID();
  expect(await by({ type: "ticket", id, personId: idOf(viewer) })).toBe(true);
  expect(await by({ type: "ticket", id, personId: idOf(insider) })).toBe(true);
  expect(await by({ type: "ticket", id, personId: idOf(outside) })).toBe(false);
  expect(await by({ type: "ticket", id, personId: idOf(org.admin) })).toBe(false);
  expect(await by({ type: "ticket", id, personId: null })).toBe(false);
  expect(await by({ type: "session", id })).toBe(true);
  expect(await by(null)).toBe(true);
  expect(await telling({ actorId: idOf(outside), target: null })).toBe(false);
});
