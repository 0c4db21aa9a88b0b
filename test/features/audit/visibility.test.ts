import { expect, test } from "bun:test";
import { allEvents, eventPage, eventsOfRequest, traced, writeEvent } from "../../support/audit.ts";
import {
  auditWorld,
  giveRoles,
  newUnit,
  rename,
  type Send,
  sendInvitation,
  setUnits,
} from "../../support/audit-world.ts";
import type { Caller } from "../../support/caller.ts";
import { deleteAccount } from "../../support/invitations.ts";
import { assignments } from "../../support/organizations.ts";
import { actingIn, idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Which events a unit administrator sees, by the actor of the event: a test for each sentence of rules 16.13. */

const t = await sharedService();

test("a reader's own events are always visible to the reader, whatever their target", async () => {
  const { org, own, above, side } = await auditWorld(t);
  const viewer = await org.member({ role: "ORG_ADMIN" });
  const outside = await org.member({ role: "MEMBER", unit: side });
  const everything: Send[] = [
    (options) => viewer.post("/api/roles", { name: "Mine", permissions: [] }, options),
    (options) => viewer.patch("/api/organization", { name: "Other" }, options),
    rename(viewer, above),
    rename(viewer, side),
    newUnit(viewer, null),
    setUnits(viewer, outside, side, above),
    sendInvitation(viewer, { role: "MEMBER" }),
    (options) => viewer.post("/api/auth/organization", { organizationId: org.id }, options),
  ];
  const done = [];
  for (const send of everything) done.push(await traced(send));
  await org.admin.patch(`/api/members/${idOf(viewer)}/roles`, assignments({ role: "UNIT_ADMIN", unit: own }));
  await viewer.refresh();
  for (const requestId of done) expect(await eventsOfRequest(viewer, requestId)).toHaveLength(1);
  const mine = await allEvents(viewer, `actorId=${idOf(viewer)}`);
  expect(mine).toHaveLength(everything.length);
});

test("events by current members of the unit and its sub-units are visible, events by all other users are not", async () => {
  const { org, above, own, below, side, insider, shows } = await auditWorld(t);
  const admin = { role: "ORG_ADMIN" };
  expect(await shows(newUnit(insider, below))).toBe(true);
  for (const [unit, seen] of [
    [own, true],
    [below, true],
    [above, false],
    [side, false],
  ] as const) {
    const person = await org.member(admin, { role: "MEMBER", unit });
    expect(await shows(newUnit(person, below))).toBe(seen);
  }
  expect(await shows(newUnit(await org.member(admin), below))).toBe(false);
  expect(await shows(newUnit(org.admin, below))).toBe(false);
  const platform = await t.platformAdmin();
  const named = actingIn(org).headers;
  const byPlatform: Send = ({ headers }) => newUnit(platform, below)({ headers: { ...headers, ...named } });
  expect(await shows(byPlatform)).toBe(false);
});

test("events by former members stay visible, whether they left the unit, the organization or deleted their account", async () => {
  const { org, below, insider, sees, shows } = await auditWorld(t);
  const moved = await org.member({ role: "ORG_ADMIN" });
  await org.link(moved, below);
  const earlier = await traced(newUnit(moved, below));
  await setUnits(org.admin, moved)({ headers: {} });
  expect(await sees(earlier)).toBe(true);
  expect(await shows(newUnit(moved, below))).toBe(true);
  expect(await shows(newUnit(moved, null))).toBe(false);

  const done = await traced(newUnit(insider, below));
  expectStatus(await org.admin.delete(`/api/members/${idOf(insider)}`), 204);
  expect(await sees(done)).toBe(true);
  await deleteAccount(t, insider.email);
  expect(await sees(done)).toBe(true);
});

test("events without an actor are not visible to a unit administrator", async () => {
  const { below, insider, telling } = await auditWorld(t);
  expect(await telling({ actorId: null, target: null })).toBe(false);
  expect(await telling({ actorId: null, target: { type: "unit", id: below } })).toBe(false);
  expect(await telling({ actorId: null, target: { type: "user", id: idOf(insider) } })).toBe(false);
});

/** Returns ids and metadata of all events that a caller sees, for comparison. */
const log = async (caller: Caller, query = "", options = {}) =>
  (await allEvents(caller, query, options)).map(({ id, metadata }) => [id, metadata]);

test("organization-wide auditors and platform administrators see everything, even with additional roles in units", async () => {
  const { org, own, below, side, insider } = await auditWorld(t);
  const outside = await org.member({ role: "MEMBER", unit: side });
  await sendInvitation(outside, { role: "MEMBER" })({ headers: {} });
  for (const unit of [below, side]) await newUnit(insider, unit)({ headers: {} });
  await giveRoles(insider, outside, { role: "MEMBER" }, { role: "MEMBER", unit: side })({ headers: {} });
  await writeEvent(t, org, { actorId: null, target: { type: "subscription", id: crypto.randomUUID() } });
  const role = await org.role("Auditor", "Audit.Read");
  const auditor = await org.member({ role }, { role: "UNIT_ADMIN", unit: own });
  const everything = await t.sql<{ id: string; metadata: unknown }>(
    "SELECT id, metadata FROM audit_events WHERE organization_id = $1 ORDER BY time DESC, id DESC",
    [org.id],
  );
  const expected = everything.map(({ id, metadata }) => [id, metadata]) as never;
  expect(await log(auditor)).toEqual(expected);
  expect(await log(org.admin)).toEqual(expected);
  expect(await log(await t.platformAdmin(), "", actingIn(org))).toEqual(expected);
});

test("a role with `Audit.Read` in a unit sees the same events as that unit's administrator", async () => {
  const { org, own, below, side, insider, viewer } = await auditWorld(t);
  const role = await org.role("Auditor", "Audit.Read");
  const auditor = await org.member({ role, unit: own }, { role: "UNIT_ADMIN", unit: side });
  await giveRoles(org.admin, auditor, { role, unit: own }, { role: "MEMBER", unit: side })({ headers: {} });
  await auditor.refresh();
  for (const unit of [own, below, side]) await rename(insider, unit)({ headers: {} });
  const renames = await log(auditor, "action=UNIT_UPDATED");
  expect(renames).toHaveLength(2);
  expect(renames).toEqual(await log(viewer, "action=UNIT_UPDATED"));
});

test("a reader with `Audit.Read` in two units sees the events of either unit, and those that span both", async () => {
  const { org, own, below, side, insider } = await auditWorld(t);
  const other = await org.unit("Other");
  const viewer = await org.member({ role: "UNIT_ADMIN", unit: own }, { role: "UNIT_ADMIN", unit: other });
  const inOther = await org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: other });
  const seen = async (send: Send) => (await eventsOfRequest(viewer, await traced(send))).length === 1;
  for (const actor of [insider, inOther]) {
    for (const unit of [own, below, other]) expect(await seen(rename(actor, unit))).toBe(true);
    expect(await seen(rename(actor, side))).toBe(false);
    const member = (unit: string) => ({ role: "MEMBER", unit });
    expect(await seen(sendInvitation(actor, member(below), member(other)))).toBe(true);
    expect(await seen(sendInvitation(actor, member(below), member(other), member(side)))).toBe(false);
  }
  expect(await seen(setUnits(insider, inOther, other, side))).toBe(true);
  expect(await seen(setUnits(inOther, insider, below, side))).toBe(true);
});

test("the unit filter returns events by members of units that are both in reach and in the filter; with `member` it narrows further", async () => {
  const { org, above, own, below, side, viewer } = await auditWorld(t);
  const lone = await org.unit("Lone", own);
  const admin = { role: "ORG_ADMIN" };
  const people: Record<string, Caller> = {
    own: await org.member(admin, { role: "MEMBER", unit: own }),
    below: await org.member(admin, { role: "MEMBER", unit: below }),
    both: await org.member(admin, { role: "MEMBER", unit: below }, { role: "MEMBER", unit: side }),
    side: await org.member(admin, { role: "MEMBER", unit: side }),
    past: await org.member(admin),
    viewer,
  };
  const { past } = people as { past: Caller };
  await org.link(past, below);
  await setUnits(org.admin, past)({ headers: {} });
  for (const person of Object.values(people)) await newUnit(person, lone)({ headers: {} });
  const names = new Map(Object.entries(people).map(([name, person]) => [idOf(person), name]));
  const seen = async (caller: Caller, query: string) =>
    (await allEvents(caller, `action=UNIT_CREATED&order=asc&targetType=unit&${query}`)).map(
      ({ actorId }) => names.get(actorId ?? "") ?? "other",
    );
  const member = (...some: string[]) =>
    some.map((name) => `member=${idOf(people[name] as Caller)}`).join("&");
  expect(await seen(viewer, "")).toEqual(["own", "below", "both", "past", "viewer"]);
  for (const [query, expected] of [
    [`unit=${own}`, ["own", "below", "both", "viewer"]],
    [`unit=${above}`, ["own", "below", "both", "viewer"]],
    [`unit=${below}`, ["below", "both"]],
    [`unit=${side}`, []],
    [`unit=${side}&unit=${below}`, ["below", "both"]],
    [`unit=${crypto.randomUUID()}`, []],
    [member("below", "side", "past"), ["below", "past"]],
    [`unit=${below}&${member("own", "both", "side")}`, ["both"]],
  ] as const)
    expect([query, await seen(viewer, query)]).toEqual([query, [...expected]]);
  expect(await seen(org.admin, `unit=${side}`)).toEqual(["both", "side"]);
});

test("pages and `total` include events whose metadata entries are all trimmed", async () => {
  const { side, own, viewer, insider, org } = await auditWorld(t);
  const person = await org.member({ role: "MEMBER", unit: own });
  const kept = { role: "MEMBER", unit: own };
  for (const role of ["UNIT_ADMIN", "ORG_ADMIN", "MEMBER"])
    await giveRoles(insider, person, kept, { role, unit: side })({ headers: {} });
  const query = `action=MEMBER_ROLES_CHANGED&targetId=${idOf(person)}`;
  const { data, total } = await eventPage(viewer, `${query}&pageSize=2`);
  expect([data.length, total]).toEqual([2, 3]);
  expect(data.map(({ metadata }) => metadata)).toEqual([
    { added: [], removed: [] },
    { added: [], removed: [] },
  ]);
  expect((await eventPage(viewer, `${query}&pageSize=2&page=2`)).data).toHaveLength(1);
});
