import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, messages } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

type Unit = { id: string; name: string; parentId: string | null; depth: number; memberCount: number };

/** Lists units as the caller, with a query and an `X-Filter-Unit` header. */
async function list(caller: Caller, { query = "", filter = null as string | null } = {}) {
  const headers = filter === null ? {} : { "x-filter-unit": filter };
  return expectStatus(await caller.get(`/api/units${query}`, { headers }), 200).body;
}
const namesOf = ({ data }: { data: Unit[] }) => data.map(({ name }) => name);
const names = async (caller: Caller, narrowed = {}) => namesOf(await list(caller, narrowed));
const searched = (caller: Caller, text: string) =>
  names(caller, { query: `?search=${encodeURIComponent(text)}` });

test("units are listed depth-first by name, ignoring case and accents, with depth and number of direct current members", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  const banana = await org.unit("Banana", sales);
  await org.unit("cherry", sales);
  await org.unit("ápple", sales);
  const split = await org.unit("split", banana);
  await org.unit("archive");
  await org.member({ role: "MEMBER", unit: banana });
  const leaver = await org.member({ role: "MEMBER", unit: banana });
  await org.link(await org.member(), banana, split);
  expectStatus(await leaver.post("/api/organization/leave"), 204);

  const page = await list(org.admin);
  const rows = page.data.map((unit: Unit) => [unit.name, unit.depth, unit.parentId, unit.memberCount]);
  expect(rows).toEqual([
    ["archive", 0, null, 0],
    ["Sales", 0, null, 0],
    ["ápple", 1, sales, 0],
    ["Banana", 1, sales, 2],
    ["split", 2, banana, 1],
    ["cherry", 1, sales, 0],
  ]);
});

test("sorting the list of units changes the order of siblings; descendants stay below their parent", async () => {
  const org = await createOrganization(t);
  const sales = await org.unit("Sales");
  const banana = await org.unit("Banana", sales);
  await org.unit("ápple", sales);
  for (const name of ["split", "peel"]) await org.unit(name, banana);
  await org.unit("archive");
  const ordered = (query: string) => names(org.admin, { query });
  const up = ["archive", "Sales", "ápple", "Banana", "peel", "split"];
  const down = ["Sales", "Banana", "split", "peel", "ápple", "archive"];
  expect(await ordered("?sort=name")).toEqual(up);
  expect(await ordered("?order=asc")).toEqual(up);
  expect(await ordered("?sort=name&order=desc")).toEqual(down);
  expect(await ordered("?order=desc&search=p")).toEqual(["split", "peel", "ápple"]);
  const { body } = await org.admin.get("/api/units?sort=depth&order=up");
  expect(body.message).toBe(
    "sort must be one of the following values: name; order must be one of the following values: asc, desc",
  );
});

test("the list of units is a single page, and further pages are empty", async () => {
  const org = await createOrganization(t);
  for (let count = 0; count < 25; count += 1) await org.unit(`Unit ${count}`);
  const page = await list(org.admin, { query: "?pageSize=3" });
  expect(page).toMatchObject({ total: 25, page: 1, pageSize: 25 });
  expect(page.data).toHaveLength(25);
  expect(await list(org.admin, { query: "?page=2" })).toMatchObject({ data: [], total: 25 });
});

test("a search of units matches names literally, ignoring case and accents", async () => {
  const org = await createOrganization(t);
  for (const name of ["100% Sáles", "Under_score", "UnderXscore", "Back\\slash", "Πωλήσεις"])
    await org.unit(name);
  expect(await searched(org.admin, "SALES")).toEqual(["100% Sáles"]);
  expect(await searched(org.admin, "%")).toEqual(["100% Sáles"]);
  expect(await searched(org.admin, "r_s")).toEqual(["Under_score"]);
  expect(await searched(org.admin, "\\")).toEqual(["Back\\slash"]);
  for (const text of ["πωλησεισ", "ΠΩΛΗΣΕΙΣ", "πωλήσεις"])
    expect(await searched(org.admin, text)).toEqual(["Πωλήσεις"]);
  expect(await searched(org.admin, "nowhere")).toEqual([]);
  expect(await searched(org.admin, "")).toHaveLength(5);
  expect(messages(await org.admin.get(`/api/units?search=${"x".repeat(201)}`))).toEqual([
    "search must be shorter than or equal to 200 characters",
  ]);
});

test("a unit administrator sees only the unit's subtree in the list, with depths of the whole tree", async () => {
  const org = await createOrganization(t);
  const top = await org.unit("Top");
  const middle = await org.unit("Middle", top);
  await org.unit("Leaf", middle);
  await org.unit("Beside", top);
  const member = await org.member({ role: "MEMBER", unit: middle });
  const page = await list(member);
  expect(page.data.map(({ name, depth }: Unit) => [name, depth])).toEqual([
    ["Middle", 1],
    ["Leaf", 2],
  ]);
  expect(page).toMatchObject({ total: 2, pageSize: 2 });
  expect(await searched(member, "e")).toEqual(["Middle", "Leaf"]);
  expect(await searched(member, "Beside")).toEqual([]);
});

test("X-Filter-Unit returns these units and their sub-units as far as they are in reach; unknown and other units match nothing", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const below = await org.unit("Below", one);
  const deleted = await org.unit("Deleted");
  expectStatus(await org.admin.delete(`/api/units/${deleted}`), 204);
  const foreign = await other.unit("Foreign");
  const ofOne = await org.member({ role: "UNIT_ADMIN", unit: one });
  const filtered = (caller: Caller, ...ids: string[]) => names(caller, { filter: ids.join(",") });

  expect(await filtered(org.admin, one)).toEqual(["One", "Below"]);
  expect(await filtered(org.admin, below, two)).toEqual(["Below", "Two"]);
  expect(await filtered(org.admin)).toEqual(["One", "Below", "Two"]);
  expect(await filtered(org.admin, deleted, foreign, crypto.randomUUID())).toEqual([]);
  expect(await filtered(org.admin, two, foreign)).toEqual(["Two"]);
  expect(await list(ofOne, { filter: `${below},${two}` })).toMatchObject({ total: 1, pageSize: 1 });
  expect(await filtered(ofOne, two)).toEqual([]);
});

test("a unit can be created at the top or below another, with an audit event", async () => {
  const org = await createOrganization(t);
  const top = expectStatus(await org.admin.post("/api/units", { name: "  Top ", parentId: null }), 201).body;
  expect(top).toEqual({
    id: expect.any(String),
    name: "Top",
    parentId: null,
    depth: 0,
    memberCount: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  const body = { name: "Top", parentId: top.id };
  const below = expectStatus(await org.admin.post("/api/units", body), 201).body;
  expect(below).toMatchObject({ ...body, depth: 1 });
  expect(await eventsIn(t, org, "UNIT_")).toEqual(
    [top, below].map(({ id, name, parentId }) => ({
      action: "UNIT_CREATED",
      actor_id: idOf(org.admin),
      target_type: "unit",
      target_id: id,
      metadata: { name, parentId },
    })),
  );
});

test("a unit's name must have 1 to 100 characters, and all errors are returned at once", async () => {
  const org = await createOrganization(t);
  const refused = async (body: unknown) => messages(await org.admin.post("/api/units", body));
  expect(await refused({ name: " ", parentId: "top", colour: "red" })).toEqual([
    "name should not be empty",
    "parentId must be a UUID",
    "property colour should not exist",
  ]);
  expect(await refused({})).toEqual(["name is required", "parentId is required"]);
  expect(await refused({ name: "x".repeat(101), parentId: null })).toEqual([
    "name must be shorter than or equal to 100 characters",
  ]);
  expect(await refused({ name: "a\tb", parentId: null })).toEqual([
    "name must not contain control characters",
  ]);
  expect(await refused({ name: 1, parentId: null })).toEqual(["name must be a string"]);
  expectStatus(await org.admin.post("/api/units", { name: "🌳".repeat(100), parentId: null }), 201);
  const id = await org.unit("One");
  expect(messages(await org.admin.patch(`/api/units/${id}`, { name: "" }))).toEqual([
    "name should not be empty",
  ]);
  expect(messages(await org.admin.patch("/api/units/none", { name: "x" }))).toEqual(["id must be a UUID"]);
});

test("renaming a unit writes an audit event with both names; an empty or identical change writes nothing", async () => {
  const org = await createOrganization(t);
  const id = await org.unit("Before");
  const row = () => t.sql("SELECT * FROM units WHERE id = $1", [id]);
  const untouched = await row();
  for (const body of [{}, { name: "Before" }, { parentId: null }, { name: " Before ", parentId: null }]) {
    const response = expectStatus(await org.admin.patch(`/api/units/${id}`, body), 200);
    expect(response.body).toMatchObject({ id, name: "Before", parentId: null });
  }
  expect(await row()).toEqual(untouched);
  expect(await eventsIn(t, org, "UNIT_")).toEqual([]);

  const { body } = expectStatus(await org.admin.patch(`/api/units/${id}`, { name: "After" }), 200);
  expect(body.name).toBe("After");
  expect(await eventsIn(t, org, "UNIT_")).toEqual([
    {
      action: "UNIT_UPDATED",
      actor_id: idOf(org.admin),
      target_type: "unit",
      target_id: id,
      metadata: { from: { name: "Before" }, to: { name: "After" } },
    },
  ]);
});

test("units that are deleted, unknown or of another organization are 404 in a path and 400 in a body", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const deleted = await org.unit("Deleted");
  expectStatus(await org.admin.delete(`/api/units/${deleted}`), 204);
  const own = await org.unit("Own");
  for (const id of [await other.unit("Foreign"), deleted, crypto.randomUUID()]) {
    expectStatus(await org.admin.patch(`/api/units/${id}`, { name: "Mine" }), 404);
    expectStatus(await org.admin.patch(`/api/units/${id}`, {}), 404);
    expectStatus(await org.admin.delete(`/api/units/${id}`), 404);
    const refusals = [
      await org.admin.post("/api/units", { name: "New", parentId: id }),
      await org.admin.patch(`/api/units/${own}`, { parentId: id }),
      await org.admin.patch(`/api/units/${crypto.randomUUID()}`, { parentId: id }),
    ];
    for (const refusal of refusals) {
      expect(refusal.body.errors).toEqual([
        { path: "parentId", message: "parentId must be an existing unit" },
      ]);
    }
  }
});
