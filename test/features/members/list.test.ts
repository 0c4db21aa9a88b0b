import { expect, test } from "bun:test";
import { ids, idsOf, list, named, read } from "../../support/members.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

test("a member is returned with name, email, joining date and all roles and units", async () => {
  const org = await createOrganization(t);
  const [unit, other] = [await org.unit("Sales"), await org.unit("Archive")];
  const person = await org.member({ role: "UNIT_ADMIN", unit }, { role: "MEMBER" });
  await org.link(person, other);
  const { body } = expectStatus(await read(org.admin, person), 200);
  expect(body).toEqual({
    userId: idOf(person),
    email: person.email,
    firstName: "Ada",
    lastName: "Lovelace",
    joinedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    assignments: [
      { role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: null, source: "manual" },
      {
        role: { id: roleId("UNIT_ADMIN"), name: "UNIT_ADMIN" },
        unit: { id: unit, name: "Sales" },
        source: "manual",
      },
    ],
    units: expect.arrayContaining([
      { id: unit, name: "Sales" },
      { id: other, name: "Archive" },
    ]),
    twoFactorEnabled: false,
    lastActiveOn: new Date().toISOString().slice(0, 10),
  });
  expect(body.units).toHaveLength(2);
  const page = await list(org.admin, `member=${idOf(person)}`);
  expect(page).toEqual({ data: [body], total: 1, page: 1, pageSize: 20 });
});

test("a search of members matches email and names literally, ignoring case and accents", async () => {
  const org = await createOrganization(t);
  const greek = await named(t, await org.member(), "Νίκος", "Παπαδόπουλος");
  const percent = await named(t, await org.member(), "Zoë", "100% Quirk");
  const underscore = await named(t, await org.member(), "Up_town", "Yorick");
  await named(t, await org.member(), "Uptown", "Wry\\slash");
  const mailed = await t.person({ email: uniqueEmail().replace("person", "mixed.kite") });
  await org.add(mailed);
  const found = (text: string) => ids(org.admin, `search=${encodeURIComponent(text)}`);

  for (const text of ["νικοσ", "ΝΊΚΟΣ", "παπαδοπουλος", "ΠΑΠΑΔΌΠΟΥΛΟΣ"])
    expect(await found(text)).toEqual(idsOf(greek));
  for (const text of ["zoe", "ZOË", "quirk", "%"]) expect(await found(text)).toEqual(idsOf(percent));
  for (const text of ["_", "p_t", "YORICK"]) expect(await found(text)).toEqual(idsOf(underscore));
  expect(await found("\\")).toHaveLength(1);
  for (const text of ["mixed.kite", "MIXED.KITE", mailed.email])
    expect(await found(text)).toEqual(idsOf(mailed));
  expect(await found("nobody at all")).toEqual([]);
  expect(await list(org.admin, "search=quirk")).toMatchObject({ total: 1 });
  expect(messages(await org.admin.get(`/api/members?search=${"x".repeat(201)}`))).toEqual([
    "search must be shorter than or equal to 200 characters",
  ]);
});

test("a member whose name has changed is found and sorted by the new name", async () => {
  const org = await createOrganization(t);
  const person = await named(t, await org.member(), "Zoë", "Quirk");
  await named(t, person, "Zoë", "Yorick");
  expect(await ids(org.admin, "search=quirk")).toEqual([]);
  expect(await ids(org.admin, "search=yorick")).toEqual(idsOf(person));
  expect(await ids(org.admin, "order=desc&pageSize=1")).toEqual(idsOf(person));
});

test("members are sorted by last name or by the requested field, in stable pages", async () => {
  const org = await createOrganization(t);
  await named(t, org.admin, "Ada", "mIddle");
  const last = await named(t, await org.member(), "Bob", "Zulu");
  const first = await named(t, await org.member(), "Cid", "Émile");
  const second = await named(t, await org.member(), "Dan", "etoile");
  const byName = idsOf(first, second, org.admin, last);
  const byJoining = idsOf(org.admin, last, first, second);
  const byEmail = idsOf(
    ...[org.admin, last, first, second].sort((one, other) => (one.email < other.email ? -1 : 1)),
  );

  expect(await ids(org.admin)).toEqual(byName);
  expect(await ids(org.admin, "sort=lastName&order=desc")).toEqual(byName.toReversed());
  expect(await ids(org.admin, "sort=joinedAt&order=asc")).toEqual(byJoining);
  expect(await ids(org.admin, "sort=joinedAt&order=desc")).toEqual(byJoining.toReversed());
  expect(await ids(org.admin, "sort=email&order=asc")).toEqual(byEmail);
  expect(await ids(org.admin, "sort=email&order=desc")).toEqual(byEmail.toReversed());
  expect(await list(org.admin, "pageSize=3")).toMatchObject({ total: 4, page: 1, pageSize: 3 });
  expect(await ids(org.admin, "pageSize=3&page=2")).toEqual(byName.slice(3));
  expect(await list(org.admin, "page=5")).toMatchObject({ data: [], total: 4 });
  expect(messages(await org.admin.get("/api/members?sort=firstName&order=up&role=x"))).toEqual([
    "sort must be one of the following values: lastName, email, joinedAt",
    "order must be one of the following values: asc, desc",
    "property role should not exist",
  ]);
});

test("a member's details are 404 for a user who is no member or a member only of another organization, and 400 for an invalid id", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const gone = await org.member();
  expectStatus(await gone.post("/api/organization/leave"), 204);
  for (const person of [gone, other.admin, await t.person()]) {
    expectStatus(await read(org.admin, person), 404);
    expect(await ids(org.admin)).not.toContain(idOf(person));
  }
  expect(messages(await org.admin.get("/api/members/none"))).toEqual(["userId must be a UUID"]);
  expect(outcome(await (await org.member()).get("/api/members"))).toBe("403 FORBIDDEN");
  const admin = await t.platformAdmin();
  expectStatus(await read(admin, org.admin, actingIn(org)), 200);
  expectStatus(await read(admin, org.admin, actingIn(other)), 404);
  expect(outcome(await admin.get("/api/members"))).toBe("400 ORGANIZATION_REQUIRED");
});
