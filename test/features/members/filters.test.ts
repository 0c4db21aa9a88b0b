import { expect, test } from "bun:test";
import { ids, idsOf, list, type Member, named, read } from "../../support/members.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Returns a member's roles and units as texts. */
const placesOf = ({ assignments, units }: Member) => [
  ...assignments.map(({ role, unit }) => `${role.name} ${unit === null ? "everywhere" : `in ${unit.name}`}`),
  ...units.map(({ name }) => `at ${name}`),
];

test("the unit filter returns members of the units and their sub-units; deleted, unknown and foreign units match no member", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const top = await org.unit("Top");
  const [below, beside] = [await org.unit("Below", top), await org.unit("Beside")];
  const deleted = await org.unit("Deleted");
  expectStatus(await org.admin.delete(`/api/units/${deleted}`), 204);
  const foreign = await other.unit("Foreign");
  const ofTop = await named(t, await org.member({ role: "MEMBER", unit: top }), "A", "Hotel");
  const ofBelow = await named(t, await org.member({ role: "MEMBER", unit: below }), "B", "India");
  const ofBeside = await named(t, await org.member(), "C", "Juliet");
  await org.link(ofBeside, beside);
  // A member of both organizations, in a unit only of the other.
  const guest = await org.member();
  await other.add(guest, { role: "MEMBER", unit: foreign });

  expect(await ids(org.admin, `unit=${top}`)).toEqual(idsOf(ofTop, ofBelow));
  expect(await ids(org.admin, `unit=${below}&unit=${beside}`)).toEqual(idsOf(ofBelow, ofBeside));
  expect(await ids(org.admin, `unit[]=${below}&unit[]=${beside}`)).toEqual(idsOf(ofBelow, ofBeside));
  expect(await ids(org.admin, `unit=${beside}&unit=${deleted}&unit=${foreign}`)).toEqual(idsOf(ofBeside));
  for (const unit of [deleted, foreign, crypto.randomUUID()])
    expect(await list(org.admin, `unit=${unit}`)).toMatchObject({ data: [], total: 0 });
  expect(await ids(org.admin, `unit=${top}&member=${idOf(ofBelow)}&member=${idOf(ofBeside)}`)).toEqual(
    idsOf(ofBelow),
  );
  expect(await ids(org.admin, `unit=${top}&search=hotel`)).toEqual(idsOf(ofTop));
});

test("the member filter returns only the members with these ids", async () => {
  const [org, stranger] = [await createOrganization(t), await t.person()];
  const [one, two] = [await org.member(), await org.member()];
  const gone = await org.member();
  expectStatus(await gone.post("/api/organization/leave"), 204);
  const asked = [one, two, gone, stranger].map((person) => `member=${idOf(person)}`).join("&");
  expect((await ids(org.admin, asked)).toSorted()).toEqual(idsOf(one, two).toSorted());
  expect(await list(org.admin, `member=${idOf(stranger)}`)).toMatchObject({ data: [], total: 0 });
});

test("a unit administrator sees only members of the unit and its sub-units, and only their roles and units inside it", async () => {
  const org = await createOrganization(t);
  const [top, beside] = [await org.unit("Top"), await org.unit("Beside")];
  const below = await org.unit("Below", top);
  const unitAdmin = await named(t, await org.member({ role: "UNIT_ADMIN", unit: top }), "A", "Hotel");
  const both = await org.member(
    { role: "MEMBER" },
    { role: "MEMBER", unit: below },
    { role: "MEMBER", unit: beside },
  );
  await named(t, both, "B", "India");
  const linked = await named(t, await org.member(), "C", "Juliet");
  await org.link(linked, below, beside);
  const outside = await named(t, await org.member({ role: "MEMBER", unit: beside }), "D", "Kilo");

  const { data, total } = await list(unitAdmin);
  expect(data.map(({ userId }: Member) => userId)).toEqual(idsOf(unitAdmin, both, linked));
  expect(total).toBe(3);
  expect(data.map(placesOf)).toEqual([
    ["UNIT_ADMIN in Top", "at Top"],
    ["MEMBER in Below", "at Below"],
    ["at Below"],
  ]);
  expect((await read(unitAdmin, both)).body).toEqual(data[1]);
  for (const person of [outside, org.admin]) expectStatus(await read(unitAdmin, person), 404);
  expect(placesOf((await read(org.admin, both)).body)).toEqual([
    "MEMBER everywhere",
    "MEMBER in Below",
    "MEMBER in Beside",
    "at Below",
    "at Beside",
  ]);
});

test("a unit administrator's unit filter returns members of units that are both in reach and in the filter", async () => {
  const org = await createOrganization(t);
  const [top, beside] = [await org.unit("Top"), await org.unit("Beside")];
  const below = await org.unit("Below", top);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: top });
  const both = await org.member({ role: "MEMBER", unit: top }, { role: "MEMBER", unit: beside });
  const inside = await org.member({ role: "MEMBER", unit: below });
  expect(await list(unitAdmin, `unit=${beside}`)).toMatchObject({ data: [], total: 0 });
  expect(await ids(org.admin, `unit=${beside}`)).toEqual(idsOf(both));
  expect(await ids(unitAdmin, `unit=${below}&unit=${beside}`)).toEqual(idsOf(inside));
  expect(await list(unitAdmin, `member=${idOf(org.admin)}`)).toMatchObject({ data: [], total: 0 });
});
