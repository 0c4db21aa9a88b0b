import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const move = async (caller: Caller, id: string, parentId: string | null) =>
  outcome(await caller.patch(`/api/units/${id}`, { parentId }));
const rename = async (caller: Caller, id: string) =>
  outcome(await caller.patch(`/api/units/${id}`, { name: "Renamed" }));
const create = async (caller: Caller, parentId: string | null) =>
  outcome(await caller.post("/api/units", { name: "New", parentId }));
const remove = async (caller: Caller, id: string) => outcome(await caller.delete(`/api/units/${id}`));

/** Creates an organization with two trees, left and right, of two units each. */
async function twoTrees() {
  const org = await createOrganization(t);
  const [left, right] = [await org.unit("Left"), await org.unit("Right")];
  return { org, left, right, belowLeft: await org.unit("A", left), belowRight: await org.unit("B", right) };
}

test("moving a unit moves its whole subtree and writes an audit event with both parents", async () => {
  const { org, left, belowLeft, belowRight } = await twoTrees();
  const { body } = expectStatus(await org.admin.patch(`/api/units/${left}`, { parentId: belowRight }), 200);
  expect(body).toMatchObject({ id: left, name: "Left", parentId: belowRight, depth: 2 });
  const { data } = (await org.admin.get("/api/units")).body;
  expect(data.map(({ name, depth }: { name: string; depth: number }) => `${depth} ${name}`)).toEqual([
    "0 Right",
    "1 B",
    "2 Left",
    "3 A",
  ]);
  const both = { name: "Alone", parentId: null };
  expect(expectStatus(await org.admin.patch(`/api/units/${belowLeft}`, both), 200).body).toMatchObject(both);
  const told = { action: "UNIT_UPDATED", actor_id: idOf(org.admin), target_type: "unit" };
  expect(await eventsIn(t, org, "UNIT_")).toEqual([
    { ...told, target_id: left, metadata: { from: { parentId: null }, to: { parentId: belowRight } } },
    { ...told, target_id: belowLeft, metadata: { from: { name: "A", parentId: left }, to: both } },
  ]);
});

test("a unit cannot be moved below itself", async () => {
  const { org, left, belowLeft, right } = await twoTrees();
  const deep = await org.unit("Deep", belowLeft);
  for (const parent of [left, belowLeft, deep])
    expect(await move(org.admin, left, parent)).toBe("409 UNIT_CYCLE");
  expect(await move(org.admin, belowLeft, deep)).toBe("409 UNIT_CYCLE");
  expect(await move(org.admin, deep, right)).toBe("200");
  expect(await eventsIn(t, org, "UNIT_")).toHaveLength(1);
});

test("a unit administrator can create, move and delete units only below their unit, and rename it and units below it", async () => {
  const { org, left, right, belowLeft, belowRight } = await twoTrees();
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: left });

  for (const parent of [null, right, belowRight])
    expect(await create(unitAdmin, parent)).toBe("403 UNIT_FORBIDDEN");
  for (const parent of [left, belowLeft]) expect(await create(unitAdmin, parent)).toBe("201");

  for (const id of [right, belowRight]) {
    expect(await rename(unitAdmin, id)).toBe("404 NOT_FOUND");
    expect(await move(unitAdmin, id, left)).toBe("404 NOT_FOUND");
    expect(await remove(unitAdmin, id)).toBe("404 NOT_FOUND");
  }
  // The administrator's own unit can be renamed, but not moved or deleted.
  expect(await rename(unitAdmin, left)).toBe("200");
  expect(await remove(unitAdmin, left)).toBe("403 UNIT_FORBIDDEN");
  for (const parent of [right, belowRight])
    expect(await move(unitAdmin, left, parent)).toBe("403 UNIT_FORBIDDEN");
  for (const parent of [null, right, belowRight])
    expect(await move(unitAdmin, belowLeft, parent)).toBe("403 UNIT_FORBIDDEN");

  const deep = await org.unit("Deep", belowLeft);
  expect(await move(unitAdmin, deep, left)).toBe("200");
  expect(await remove(unitAdmin, deep)).toBe("204");
});

test("moving a unit needs the permission over both the old and the new parent", async () => {
  const { org, left, right, belowLeft, belowRight } = await twoTrees();
  // The permission covers the unit itself, but not its parent.
  const below = await org.member(
    { role: "UNIT_ADMIN", unit: belowLeft },
    { role: "UNIT_ADMIN", unit: right },
  );
  expect(await move(below, belowLeft, right)).toBe("403 UNIT_FORBIDDEN");
  expect(await rename(below, belowLeft)).toBe("200");
  const above = await org.member({ role: "UNIT_ADMIN", unit: left }, { role: "UNIT_ADMIN", unit: right });
  expect(await move(above, belowLeft, right)).toBe("200");
  expect(await move(above, belowRight, left)).toBe("200");
  expect(await move(above, belowRight, null)).toBe("403 UNIT_FORBIDDEN");
});

test("a change with a unit's current parent is not treated as a move", async () => {
  const { org, left } = await twoTrees();
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: left });
  const body = { name: "Renamed", parentId: null };
  expectStatus(await unitAdmin.patch(`/api/units/${left}`, body), 200);
});

test("moving a unit is refused if the caller would gain permissions over it", async () => {
  const { org, left, right, belowLeft, belowRight } = await twoTrees();
  const mover = await org.role("Mover", "Units.Read", "Units.Update");
  const person = await org.member({ role: mover, unit: left }, { role: "UNIT_ADMIN", unit: right });
  expect(await move(person, belowLeft, right)).toBe("403 PERMISSION_NOT_HELD");
  expect(await move(person, belowLeft, belowRight)).toBe("403 PERMISSION_NOT_HELD");
  // In the other direction the caller loses permissions.
  expect(await move(person, belowRight, left)).toBe("200");
  expect(await move(person, belowRight, right)).toBe("403 PERMISSION_NOT_HELD");

  const everywhere = await org.member({ role: mover }, { role: "UNIT_ADMIN", unit: right });
  expect(await move(everywhere, left, right)).toBe("403 PERMISSION_NOT_HELD");
  expect(await move(everywhere, belowLeft, null)).toBe("200");
  expect(await move(everywhere, belowLeft, left)).toBe("200");
  expect(await move(org.admin, belowLeft, right)).toBe("200");
});

test("a move may not gain permissions that the caller lacks over the unit itself; PERMISSION_NOT_HELD comes before UNIT_CYCLE", async () => {
  const { org, left, right, belowLeft } = await twoTrees();
  const mover = await org.role("Mover", "Units.Update");
  const person = await org.member(
    { role: mover },
    { role: "UNIT_ADMIN", unit: right },
    { role: "UNIT_ADMIN", unit: belowLeft },
  );
  expect(await move(person, left, belowLeft)).toBe("403 PERMISSION_NOT_HELD");
  expect(await move(person, belowLeft, right)).toBe("200");
  expect(await move(org.admin, right, belowLeft)).toBe("409 UNIT_CYCLE");
});

test("a unit with sub-units or members cannot be deleted; an empty one can, with an audit event", async () => {
  const { org, left, belowLeft } = await twoTrees();
  const member = await org.member({ role: "MEMBER", unit: belowLeft });
  const linked = await org.member();
  await org.link(linked, belowLeft);
  const pathOf = (person: Caller) => `/api/members/${idOf(person)}`;
  expect(await remove(org.admin, left)).toBe("409 UNIT_NOT_EMPTY");
  expect(await remove(org.admin, belowLeft)).toBe("409 UNIT_NOT_EMPTY");

  // Removing the role in the unit keeps the unit membership.
  const wholly = assignments({ role: "MEMBER" });
  expectStatus(await org.admin.patch(`${pathOf(member)}/roles`, wholly), 200);
  expectStatus(await org.admin.delete(pathOf(linked)), 204);
  expect(await remove(org.admin, belowLeft)).toBe("409 UNIT_NOT_EMPTY");
  expectStatus(await org.admin.patch(`${pathOf(member)}/units`, { unitIds: [] }), 200);

  expect(await remove(org.admin, belowLeft)).toBe("204");
  expect(await remove(org.admin, left)).toBe("204");
  expect(await remove(org.admin, left)).toBe("404 NOT_FOUND");
  expect((await org.admin.get("/api/units")).body.data).toHaveLength(2);
  const told = { action: "UNIT_DELETED", actor_id: idOf(org.admin), target_type: "unit" };
  expect(await eventsIn(t, org, "UNIT_DELETED")).toEqual([
    { ...told, target_id: belowLeft, metadata: { name: "A", parentId: left } },
    { ...told, target_id: left, metadata: { name: "Left", parentId: null } },
  ]);
});

test("an organization without units is allowed, and all errors of a move are returned at once", async () => {
  const { org } = await twoTrees();
  const response = await org.admin.patch("/api/units/none", { name: "", parentId: 5, depth: 1 });
  expect(messages(response)).toEqual([
    "id must be a UUID",
    "name should not be empty",
    "parentId must be a string",
    "property depth should not exist",
  ]);
  const empty = await createOrganization(t);
  expect((await empty.admin.get("/api/units")).body).toEqual({ data: [], total: 0, page: 1, pageSize: 0 });
});
