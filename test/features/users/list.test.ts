import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

type Row = { id: string; email: string; firstName: string; lastName: string };
const uniqueTag = () => crypto.randomUUID().slice(0, 8);
const named = (...ids: string[]) => ({ headers: { "x-organization-id": ids.join() } });

/** Returns the total of a page of accounts, then the first part of each email. */
async function find(admin: Caller, query: string, options = {}): Promise<(number | string)[]> {
  const { body } = expectStatus(await admin.get(`/api/users?${query}`, options), 200);
  return [body.total, ...body.data.map(({ email }: Row) => email.split("-")[0])];
}

/** Creates accounts whose emails begin with these words and end in a unique tag; the last one is the newest. */
async function people(...names: { [word: string]: [firstName: string, lastName: string] }[]) {
  const tag = uniqueTag();
  const made: Caller[] = [];
  for (const [word, [firstName, lastName]] of names.flatMap((one) => Object.entries(one))) {
    for (const { email } of made) await t.age("users", { email }, { minutes: 1 });
    const person = await t.person({ email: `${word}-${tag}@example.com` });
    await t.sql("UPDATE users SET first_name = $2, last_name = $3 WHERE email = $1", [
      person.email,
      firstName,
      lastName,
    ]);
    made.push(person);
  }
  return { tag, made };
}

test("a user has the same fields in the details and in the list, including their organizations by name", async () => {
  const admin = await t.platformAdmin();
  const [zulu, alpha, gone] = [
    await createOrganization(t, "zulu"),
    await createOrganization(t, "Alpha"),
    await createOrganization(t, "Gone"),
  ];
  const person = await gone.member();
  expectStatus(await person.post("/api/organization/leave"), 204);
  for (const organization of [zulu, alpha]) await organization.add(person, { role: "MEMBER" });
  const id = await userIdOf(t, person);
  const row = {
    ...(await person.get("/api/profile")).body,
    organizations: [
      { id: alpha.id, name: "Alpha" },
      { id: zulu.id, name: "zulu" },
    ],
  };
  expect(row).toMatchObject({ id, email: person.email, isPlatformAdmin: false, twoFactorEnabled: false });
  expect(expectStatus(await admin.get(`/api/users/${id}`), 200).body).toEqual(row);
  const list = (await admin.get(`/api/users?member=${id}`)).body;
  expect(list).toEqual({ data: [row], total: 1, page: 1, pageSize: 20 });
});

test("the list of users includes unverified accounts and platform administrators, but no deleted accounts", async () => {
  const admin = await t.platformAdmin();
  const [unverified, deleted] = [await t.unverifiedPerson(), await t.person()];
  const deletedId = await userIdOf(t, deleted);
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE id = $1", [deletedId]);
  const row = async (person: Caller) => (await admin.get(`/api/users?search=${person.email}`)).body;
  expect((await row(unverified)).data).toMatchObject([{ emailVerifiedAt: null, organizations: [] }]);
  expect((await row(admin)).data).toMatchObject([{ isPlatformAdmin: true }]);
  expect(await row(deleted)).toMatchObject({ total: 0, data: [] });
  for (const id of [deletedId, crypto.randomUUID()])
    expect((await admin.get(`/api/users/${id}`)).body.code).toBe("NOT_FOUND");
  expect((await admin.get("/api/users/x")).body.message).toBe("id must be a UUID");
});

test("a search of users matches names and emails literally, ignoring case and accents", async () => {
  const admin = await t.platformAdmin();
  const { tag } = await people(
    { ada: ["Ada", "Lovelace"] },
    { rene: ["René", "Müller"] },
    { odysseas: ["Οδυσσέας", "Ελύτης"] },
    { odd: ["50%", "Under_score"] },
  );
  const search = async (text: string) => {
    const { body } = await admin.get(`/api/users?pageSize=100&search=${encodeURIComponent(text)}`);
    return body.data
      .filter(({ email }: Row) => email.includes(tag))
      .map(({ email }: Row) => email.split("-")[0]);
  };
  expect(await find(admin, `search=ADA-${tag}`)).toEqual([1, "ada"]);
  expect(await find(admin, `search=${tag}@EXAMPLE.com&sort=email&order=asc`)).toEqual([
    4,
    "ada",
    "odd",
    "odysseas",
    "rene",
  ]);
  for (const text of ["RENE MULLER", "rené müller", "muller", "Müller René", " rene "])
    expect([text, await search(text)]).toEqual([text, ["rene"]]);
  for (const text of ["ΟΔΥΣΣΕΑΣ", "οδυσσεας ελυτης", "Ελύτησ"])
    expect([text, await search(text)]).toEqual([text, ["odysseas"]]);
  for (const text of ["50%", "under_score", "% under"])
    expect([text, await search(text)]).toEqual([text, ["odd"]]);
  for (const text of ["5_%", "r%n", "ada%lovelace", "\\", "lovelace-"])
    expect([text, await search(text)]).toEqual([text, []]);
});

test("users are listed newest first, or sorted by email, last name or time, in pages", async () => {
  const admin = await t.platformAdmin();
  const { tag } = await people({ bob: ["Bob", "Émile"] }, { al: ["Al", "zola"] }, { cy: ["Cy", "Dumas"] });
  const list = (query: string) => find(admin, `search=${tag}&${query}`);
  expect(await list("")).toEqual([3, "cy", "al", "bob"]);
  expect(await list("order=asc")).toEqual([3, "bob", "al", "cy"]);
  expect(await list("sort=createdAt&order=desc")).toEqual([3, "cy", "al", "bob"]);
  expect(await list("sort=email&order=asc")).toEqual([3, "al", "bob", "cy"]);
  expect(await list("sort=email&order=desc")).toEqual([3, "cy", "bob", "al"]);
  expect(await list("sort=lastName&order=asc")).toEqual([3, "cy", "bob", "al"]);
  expect(await list("sort=lastName&order=desc")).toEqual([3, "al", "bob", "cy"]);
  expect(await list("sort=email&order=asc&pageSize=2")).toEqual([3, "al", "bob"]);
  expect(await list("sort=email&order=asc&pageSize=2&page=2")).toEqual([3, "cy"]);
  expect(await list("page=3")).toEqual([3]);
  const { body } = expectStatus(await admin.get("/api/users?sort=firstName&colour=red"), 400);
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(["sort", "colour"]);
});

test("in the list of users, the organization, unit and member filters and X-Organization-Id are combined with AND", async () => {
  const admin = await t.platformAdmin();
  const [acme, other] = [await createOrganization(t, "Acme"), await createOrganization(t, "Other")];
  const { made } = await people(
    { east: ["E", "E"] },
    { shop: ["S", "S"] },
    { wide: ["W", "W"] },
    { both: ["B", "B"] },
  );
  const [east, shop, wide, both] = made as [Caller, Caller, Caller, Caller];
  const eastUnit = await acme.unit("East");
  const shopUnit = await acme.unit("Shop", eastUnit);
  const theirs = await other.unit("Theirs");
  await acme.add(east, { role: "MEMBER", unit: eastUnit });
  await acme.add(shop, { role: "MEMBER", unit: shopUnit });
  await acme.add(wide, { role: "MEMBER" });
  await acme.add(both, { role: "MEMBER" });
  await other.add(both, { role: "MEMBER", unit: theirs });
  const ids = await Promise.all(made.map((person) => userIdOf(t, person)));
  const ours = ids.map((id) => `member=${id}`).join("&");
  const list = (query: string, options = {}) => find(admin, `sort=email&order=asc&${query}`, options);

  expect(await list(ours)).toEqual([4, "both", "east", "shop", "wide"]);
  expect(await list(`${ours}&organization=${acme.id}`)).toEqual([4, "both", "east", "shop", "wide"]);
  expect(await list(`${ours}&organization[]=${other.id}`)).toEqual([1, "both"]);
  expect(await list(`${ours}&organization=${acme.id}&organization=${other.id}`, named(other.id))).toEqual([
    1,
    "both",
  ]);
  expect(await list(`${ours}&organization=${acme.id}`, named(other.id))).toEqual([0]);
  expect(await list(ours, named(acme.id, other.id))).toEqual([4, "both", "east", "shop", "wide"]);

  expect(await list(`unit=${eastUnit}`)).toEqual([2, "east", "shop"]);
  expect(await list(`unit[]=${shopUnit.toUpperCase()}`)).toEqual([1, "shop"]);
  expect(await list(`unit=${eastUnit}&unit=${theirs}`)).toEqual([3, "both", "east", "shop"]);
  expect(await list(`unit=${theirs}&organization=${acme.id}`)).toEqual([1, "both"]);
  expect(await list(`unit=${eastUnit}&organization=${other.id}`)).toEqual([0]);
  expect(await list(`unit=${eastUnit}&member=${ids[1]}&member=${ids[2]}`)).toEqual([1, "shop"]);
  expect(await list(`unit=${eastUnit}&search=east`)).toEqual([1, "east"]);

  for (const query of [
    `organization=${crypto.randomUUID()}`,
    `unit=${crypto.randomUUID()}`,
    `member=${crypto.randomUUID()}`,
  ])
    expect(await list(query)).toEqual([0]);
  expect(await list(ours, named(crypto.randomUUID()))).toEqual([0]);
});

test("in the list of users, filters do not match former members and deleted units", async () => {
  const admin = await t.platformAdmin();
  const organization = await createOrganization(t);
  const unit = await organization.unit("East");
  const below = await organization.unit("Below", unit);
  const [member, gone] = [
    await organization.member({ role: "MEMBER", unit: below }),
    await organization.member({ role: "MEMBER", unit }),
  ];
  expect((await find(admin, `unit=${unit}`))[0]).toBe(2);
  expectStatus(await gone.post("/api/organization/leave"), 204);
  const totals = async () => [
    (await find(admin, `unit=${unit}`))[0],
    (await find(admin, `organization=${organization.id}&member=${await userIdOf(t, gone)}`))[0],
    (await find(admin, `organization=${organization.id}&member=${await userIdOf(t, member)}`))[0],
  ];
  expect(await totals()).toEqual([1, 0, 1]);
  await t.sql("UPDATE units SET is_deleted = true, deleted_at = now() WHERE id = $1", [below]);
  expect(await totals()).toEqual([0, 0, 1]);
  expect(await find(admin, `unit=${below}`)).toEqual([0]);
});
