import { expect, test } from "bun:test";
import { allEvents, EVENTS, eventsOfRequest, storeEvent, traced } from "../../support/audit.ts";
import {
  auditWorld,
  giveRoles,
  newUnit,
  remove,
  type Send,
  sendInvitation,
  setUnits,
} from "../../support/audit-world.ts";
import type { Caller } from "../../support/caller.ts";
import { accept, expire, type Invited, invite, invited, NEW_ACCOUNT } from "../../support/invitations.ts";
import type { Organization, RoleAssignment } from "../../support/organizations.ts";
import { roleId } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

/* Which parts of an event's metadata a unit administrator sees (rules 16.15). */

const t = await sharedService();

const metadataOf = async (caller: Caller, requestId: string) => {
  const [event, ...others] = await eventsOfRequest(caller, requestId);
  expect(others).toEqual([]);
  return event?.metadata ?? null;
};

type Unit = readonly [id: string, name: string];
const linked = ([unitId, unitName]: Unit) => ({ unitId, unitName });
const entry = (role: string, unit: Unit | null) => ({
  roleId: roleId(role),
  roleName: role,
  unitId: unit?.[0] ?? null,
  unitName: unit?.[1] ?? null,
});
const given = (role: string, unit: Unit | null): RoleAssignment => ({ role, unit: unit?.[0] ?? null });

/** Like `auditWorld`, but each unit is a pair of its id and name. */
async function named() {
  const found = await auditWorld(t);
  const { own, below, side, above } = found;
  const units = {
    own: [own, "Own"],
    below: [below, "Below"],
    side: [side, "Side"],
    above: [above, "Above"],
  } as const;
  return { ...found, ...units };
}

/** Makes a change; returns its event's metadata as the unit administrator and as an organization administrator read it. */
async function readings({ org, viewer }: { org: Organization; viewer: Caller }, send: Send) {
  const requestId = await traced(send);
  return { trimmed: await metadataOf(viewer, requestId), whole: await metadataOf(org.admin, requestId) };
}

test("lists of changed, added and removed roles contain only roles in units of the reader's subtree", async () => {
  const found = await named();
  const { org, own, below, side, above, insider } = found;
  const person = await org.member(
    given("MEMBER", null),
    given("MEMBER", below),
    given("UNIT_ADMIN", below),
    given("MEMBER", side),
    given("UNIT_ADMIN", own),
  );
  const wanted = [
    given("ORG_ADMIN", null),
    given("UNIT_ADMIN", own),
    given("MEMBER", own),
    given("UNIT_ADMIN", above),
  ];
  const { trimmed, whole } = await readings(found, giveRoles(insider, person, ...wanted));
  expect(trimmed).toEqual({
    added: [entry("MEMBER", own)],
    removed: [entry("MEMBER", below), entry("UNIT_ADMIN", below)],
  });
  expect(whole).toEqual({
    added: expect.arrayContaining([
      entry("ORG_ADMIN", null),
      entry("MEMBER", own),
      entry("UNIT_ADMIN", above),
    ]),
    removed: expect.arrayContaining([entry("MEMBER", null), entry("MEMBER", side), entry("MEMBER", below)]),
  });
});

test("lists of a member's changed units contain only units of the reader's subtree", async () => {
  const found = await named();
  const { org, own, below, side, above, insider } = found;
  const person = await org.member();
  await org.link(person, below[0], side[0]);
  const { trimmed, whole } = await readings(found, setUnits(insider, person, own[0], above[0]));
  expect(trimmed).toEqual({ added: [linked(own)], removed: [linked(below)] });
  expect(whole).toEqual({
    added: expect.arrayContaining([linked(own), linked(above)]),
    removed: expect.arrayContaining([linked(below), linked(side)]),
  });
});

test("the roles of a member who was removed or left contain only roles in units of the reader's subtree", async () => {
  const found = await named();
  const { org, own, below, side, insider } = found;
  const roles = [
    given("MEMBER", null),
    given("MEMBER", below),
    given("UNIT_ADMIN", side),
    given("UNIT_ADMIN", own),
  ];
  const [one, other] = [await org.member(...roles), await org.member(...roles)];
  const all = roles.length;
  for (const send of [
    remove(insider, one),
    (options: Parameters<Send>[0]) => other.post("/api/organization/leave", undefined, options),
  ]) {
    const { trimmed, whole } = await readings(found, send);
    expect(trimmed).toEqual({ roles: [entry("MEMBER", below), entry("UNIT_ADMIN", own)] });
    expect((whole as { roles: unknown[] }).roles).toHaveLength(all);
  }
});

/** Accepts an invitation with a new account. */
const accepting =
  ({ token }: Invited): Send =>
  (options) =>
    accept(t.anonymous(), { token, ...NEW_ACCOUNT }, options);

test("an acceptance shows only assignments in the reader's subtree, and the invitation's id only if all are inside", async () => {
  const found = await named();
  const { own, below, side, insider } = found;
  const inside = [given("MEMBER", below), given("UNIT_ADMIN", below), given("MEMBER", own)];
  const entries = [entry("MEMBER", below), entry("MEMBER", own), entry("UNIT_ADMIN", below)];
  const sorted = expect.arrayContaining(entries);
  const [one, other] = [await found.org.role("One", "Units.Read"), await found.org.role("Two", "Units.Read")];
  const outside = [...inside, given(one, null), given(other, side)];

  const all = await invited(t, insider, { roles: inside });
  const seen = await readings(found, accepting(all));
  expect(seen.trimmed).toEqual({
    invitationId: all.id,
    roles: ["MEMBER", "UNIT_ADMIN"],
    assignments: sorted,
  });
  expect(seen.trimmed).toEqual(seen.whole);

  const some = await invited(t, insider, { roles: outside });
  const { trimmed, whole } = await readings(found, accepting(some));
  expect(trimmed).toEqual({ roles: ["MEMBER", "UNIT_ADMIN"], assignments: sorted });
  expect((trimmed as { assignments: unknown[] }).assignments).toHaveLength(3);
  expect(whole).toMatchObject({ invitationId: some.id });
  expect(new Set((whole as { roles: string[] }).roles)).toEqual(
    new Set(["MEMBER", "UNIT_ADMIN", "One", "Two"]),
  );
});

test("whether an invited account existed before the acceptance is always visible", async () => {
  const found = await named();
  const { below, insider } = found;
  for (const [roles, kept] of [
    [[given("MEMBER", below)], true],
    [[given("MEMBER", below), given("MEMBER", null)], false],
  ] as const) {
    const person = await t.person();
    const { id, token } = await invited(t, insider, { email: person.email, roles: [...roles] });
    const { trimmed } = await readings(found, (options) => accept(person, { token }, options));
    expect(trimmed).toEqual({
      ...(kept && { invitationId: id }),
      roles: ["MEMBER"],
      assignments: [entry("MEMBER", below)],
      existingAccount: true,
    });
  }
});

test("`supersededId` is shown if all assignments of that invitation are in the reader's subtree, else null", async () => {
  const found = await named();
  const { own, below, side, insider } = found;
  for (const [earlier, kept] of [
    [[given("MEMBER", below), given("MEMBER", own)], true],
    [[given("MEMBER", below), given("MEMBER", side)], false],
    [[given("MEMBER", null)], false],
  ] as const) {
    const email = uniqueEmail();
    const first = await invited(t, insider, { email, roles: [...earlier] });
    const again: Send = ({ headers }) => invite(insider, { email, roles: [given("MEMBER", below)], headers });
    const { trimmed, whole } = await readings(found, again);
    const rest = { email, roles: ["MEMBER"], assignments: [entry("MEMBER", below)], language: "en" };
    expect({ ...trimmed, language: "en" }).toEqual({ ...rest, ...(kept && { supersededId: first.id }) });
    expect(whole).toMatchObject({ supersededId: first.id });
  }
  const { trimmed } = await readings(found, sendInvitation(insider, given("MEMBER", below)));
  expect(trimmed).toHaveProperty("supersededId", null);
});

test("the metadata of the reader's own events is trimmed like that of others", async () => {
  const found = await named();
  const { org, own, below, side } = found;
  const viewer = await org.member({ role: "ORG_ADMIN" });
  const [inBelow, outside] = [
    await org.member(given("MEMBER", below)),
    await org.member(given("MEMBER", side)),
  ];
  const roles = [given("MEMBER", null), given("UNIT_ADMIN", side), given("MEMBER", below)];
  const invitation = await traced(sendInvitation(viewer, ...roles));
  const changed = await traced(giveRoles(viewer, outside, given("ORG_ADMIN", null)));
  const moved = await traced(setUnits(viewer, inBelow, below[0], side[0], own[0]));
  const removed = await traced(remove(viewer, outside));
  expect(await metadataOf(viewer, removed)).toEqual({ roles: [entry("ORG_ADMIN", null)] });
  await giveRoles(org.admin, viewer, given("UNIT_ADMIN", own))({ headers: {} });
  await viewer.refresh();

  expect(await metadataOf(viewer, invitation)).toMatchObject({
    roles: ["MEMBER"],
    assignments: [entry("MEMBER", below)],
  });
  expect(await metadataOf(viewer, changed)).toEqual({ added: [], removed: [] });
  expect(await metadataOf(viewer, moved)).toEqual({ added: [linked(own)], removed: [] });
  expect(await metadataOf(viewer, removed)).toEqual({ roles: [] });

  // An expired invitation outside the inviter's units is superseded too, but its id is not shown to the inviter.
  const email = uniqueEmail();
  await expire(t, await invited(t, org.admin, { email }));
  const again = await traced(({ headers }) =>
    invite(viewer, { email, roles: [given("MEMBER", below)], headers }),
  );
  expect(await metadataOf(viewer, again)).not.toHaveProperty("supersededId");
});

test("if all entries of a list in the metadata are hidden, the list is empty", async () => {
  const found = await named();
  const { org, own, side } = found;
  const viewer = await org.member({ role: "ORG_ADMIN" });
  const requestId = await traced(sendInvitation(viewer, given("MEMBER", side), given("ORG_ADMIN", null)));
  await giveRoles(org.admin, viewer, given("UNIT_ADMIN", own))({ headers: {} });
  await viewer.refresh();
  expect(await metadataOf(viewer, requestId)).toMatchObject({
    roles: [],
    assignments: [],
    supersededId: null,
  });
});

test("entries of a deleted unit stay visible if the unit was in the subtree", async () => {
  const found = await named();
  const { org, below, side, insider, viewer } = found;
  const gone = [await org.unit("Gone", below[0]), "Gone"] as const;
  const outside = [await org.unit("Outside", side[0]), "Outside"] as const;
  const person = await org.member(given("MEMBER", null));
  await setUnits(insider, person, gone[0], outside[0], below[0])({ headers: {} });
  const requestId = await traced(setUnits(insider, person, below[0]));
  for (const [id] of [gone, outside]) expectStatus(await insider.delete(`/api/units/${id}`), 204);
  expect(await metadataOf(viewer, requestId)).toEqual({ added: [], removed: [linked(gone)] });
});

test("metadata of all other kinds of events is not trimmed, and a search never matches trimmed metadata", async () => {
  const found = await named();
  const { org, below, side, insider, viewer } = found;
  const { trimmed, whole } = await readings(found, newUnit(insider, below[0]));
  expect(trimmed).toEqual(whole as never);
  const person = await org.member(given("MEMBER", below));
  await giveRoles(insider, person, given("MEMBER", below), given("UNIT_ADMIN", side))({ headers: {} });
  for (const search of ["Side", side[0], "UNIT_ADMIN"])
    for (const caller of [viewer, org.admin]) expect(await allEvents(caller, `search=${search}`)).toEqual([]);
  expect((await allEvents(viewer, `targetId=${idOf(person)}`)).length).toBe(1);
});

test("of an action that the instance does not know, only readers of the whole organization see the metadata", async () => {
  const { org, viewer, insider, side } = await named();
  const metadata = { paid: [linked(side)] };
  const event = { action: "INVOICE_PAID", actorId: idOf(insider), organizationId: org.id, metadata };
  await storeEvent(t, event);
  // The document of this version does not have the action.
  const read = async ({ url, accessToken }: Caller) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = await fetch(`${url}${EVENTS}?action=INVOICE_PAID`, { headers });
    return ((await response.json()) as { data: { metadata: object }[] }).data.map(({ metadata }) => metadata);
  };
  expect([await read(viewer), await read(org.admin)]).toEqual([[{}], [metadata]]);
});
