import { expect, test } from "bun:test";
import { addConnection, CONNECTIONS, linkTo, MAPPINGS, startProvider } from "../../support/connections.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { giveBy } from "../../support/sign-on.ts";

const t = await sharedService();
const provider = await startProvider();
const org = await createOrganization(t);
const connectionId = await addConnection(org, provider);
const role = await org.role("Reader", "Units.Read");

const map = (group: string, more: Record<string, unknown> = {}, caller = org.admin) =>
  caller.post(MAPPINGS, { connectionId, group, roleId: role, ...more });

test("a group is mapped to a role at a place, once, byte for byte as it was sent", async () => {
  const unit = await org.unit("Sales");
  const { body } = expectStatus(await map("Engineering"), 201);
  expect(body).toMatchObject({
    connectionId,
    group: "Engineering",
    role: { id: role, name: "Reader" },
    unit: null,
  });
  for (const group of ["engineering", " Engineering", "Engineering "])
    expect(expectStatus(await map(group), 201).body.group).toBe(group);
  expect(expectStatus(await map("Engineering", { unitId: unit }), 201).body.unit).toEqual({
    id: unit,
    name: "Sales",
  });
  expect((await map("Engineering")).body.code).toBe("CONFLICT");
  const list = expectStatus(await org.admin.get(`${MAPPINGS}?connectionId=${connectionId}`), 200).body;
  expect(list.total).toBe(5);
  expect(list.data[0]).toEqual(body);
  expect((await org.admin.get(`${MAPPINGS}?connectionId=${crypto.randomUUID()}`)).body.total).toBe(0);
});

test("the groups of a connection are its own, although another one has groups of these names", async () => {
  const other = await createOrganization(t);
  const [here, there] = [await addConnection(org, provider), await addConnection(other, provider)];
  await linkTo(t, here, await org.member(), "Staff");
  for (const person of [await other.member(), await other.member()]) await linkTo(t, there, person, "Staff");
  const { data, total } = expectStatus(await org.admin.get(`${CONNECTIONS}/${here}/groups`), 200).body;
  expect([total, data]).toEqual([1, [{ group: "Staff", people: 1, mappings: 0 }]]);
});

test("connection, role, unit and group of a mapping must be there", async () => {
  const unknown = crypto.randomUUID();
  const { body } = expectStatus(
    await map("g", { connectionId: unknown, roleId: unknown, unitId: unknown }),
    400,
  );
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
    "connectionId must be an existing connection",
    "roleId must be an existing role",
    "unitId must be an existing unit",
  ]);
  expectStatus(await map(""), 400);
  expectStatus(await map("g".repeat(257)), 400);
  const foreign = await createOrganization(t);
  expectStatus(await map("g", {}, foreign.admin), 400);
});

test("what a mapping gives must be held, at its place", async () => {
  const unit = await org.unit("Support");
  const setter = await org.role("Setter", "SingleSignOn.Update", "SingleSignOn.Read");
  const strong = await org.role("Strong", "Members.Delete");
  const person = await org.member({ role: setter }, { role: strong, unit });
  expect((await map("g", { roleId: strong }, person)).body.code).toBe("PERMISSION_NOT_HELD");
  expect((await map("g", { roleId: roleId("ORG_ADMIN") }, person)).body.code).toBe("PERMISSION_NOT_HELD");
  // People of the group would come under what the person holds in this unit alone.
  expect((await map("g", { roleId: strong, unitId: unit }, person)).body.code).toBe("PERMISSION_NOT_HELD");
  expectStatus(await map("g", { roleId: setter }, person), 201);
});

test("a role and a unit of a mapping are in use", async () => {
  const [used, unit] = [await org.role("Used", "Units.Read"), await org.unit("Used")];
  const { id } = expectStatus(await map("used", { roleId: used, unitId: unit }), 201).body;
  expect((await org.admin.delete(`/api/roles/${used}`)).body.code).toBe("ROLE_IN_USE");
  expect((await org.admin.delete(`/api/units/${unit}`)).body.code).toBe("UNIT_NOT_EMPTY");
  expectStatus(await org.admin.delete(`${MAPPINGS}/${id}`), 204);
  expectStatus(await org.admin.delete(`${MAPPINGS}/${id}`), 404);
  expectStatus(await org.admin.delete(`/api/roles/${used}`), 204);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
});

test("the preview shows who had the group at the last sign-in, and writes nothing", async () => {
  const [has, holds, without] = [await org.member(), await org.member({ role }), await org.member()];
  await linkTo(t, connectionId, has, "previewed");
  await linkTo(t, connectionId, holds, "previewed", "other");
  await linkTo(t, connectionId, without, "other");
  const { body } = expectStatus(
    await org.admin.post(`${MAPPINGS}/preview`, { connectionId, group: "previewed", roleId: role }),
    200,
  );
  expect(body.total).toBe(2);
  expect(
    new Set(
      body.gains.map((one: { email: string; holdsAlready: boolean }) => `${one.email} ${one.holdsAlready}`),
    ),
  ).toEqual(new Set([`${has.email} false`, `${holds.email} true`]));
  expect(
    (await org.admin.post(`${MAPPINGS}/preview`, { connectionId, group: "nobody", roleId: role })).body,
  ).toEqual({
    gains: [],
    total: 0,
  });
});

test("a deleted mapping takes the role away at once, except from those to whom another mapping gives it, and from those who have it by hand", async () => {
  const given = await org.role("Given", "Units.Read");
  const { id } = expectStatus(await map("a", { roleId: given }), 201).body;
  expectStatus(await map("b", { roleId: given }), 201);
  const [only, both, manual] = [
    await org.member(),
    await org.member(),
    await org.member({ role: "MEMBER" }, { role: given }),
  ];
  await linkTo(t, connectionId, only, "a");
  await linkTo(t, connectionId, both, "a", "b");
  await linkTo(t, connectionId, manual, "a");
  await giveBy(t, org, connectionId, { role: given }, only, both, manual);
  expectStatus(await org.admin.delete(`${MAPPINGS}/${id}`), 204);
  const sourcesOf = async (person: typeof only) =>
    expectStatus(await org.admin.get(`/api/members/${idOf(person)}`), 200)
      .body.assignments.filter((one: { role: { id: string } }) => one.role.id === given)
      .map(({ source }: { source: string }) => source);
  expect([await sourcesOf(only), await sourcesOf(both), await sourcesOf(manual)]).toEqual([
    [],
    ["sso"],
    ["manual"],
  ]);
});
