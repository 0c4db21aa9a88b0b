import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { eventsAbout, eventsOf } from "../../support/events.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const uniqueTag = () => crypto.randomUUID().slice(0, 8);
const path = (id: string) => `/api/organizations/${id}`;
const named = (...ids: string[]) => ({ headers: { "x-organization-id": ids.join() } });

/** Returns the names in the platform's list of organizations, and its total. */
async function namesOf(admin: Caller, query: string, options = {}): Promise<(number | string)[]> {
  const { body } = expectStatus(await admin.get(`/api/organizations?${query}`, options), 200);
  return [body.total, ...body.data.map(({ name }: { name: string }) => name)];
}

/** Creates organizations whose names end in a unique tag; the last one is the newest. */
async function namedOrganizations(...names: string[]) {
  const tag = uniqueTag();
  const founder = await t.person();
  const ids: string[] = [];
  for (const name of names) {
    const response = await founder.post("/api/auth/organizations", { name: `${name} ${tag}` });
    ids.push(expectStatus(response, 201).body.id);
    await t.age("organizations", { founded_by_id: await userIdOf(t, founder) }, { minutes: 1 });
  }
  const withTag = (name: string) => `${name} ${tag}`;
  return { tag, ids, founder, withTag };
}

test("an organization has the same fields in its details and in the list, including the number of current members", async () => {
  const admin = await t.platformAdmin();
  const organization = await createOrganization(t, `Rows ${uniqueTag()}`);
  const gone = await organization.member();
  await organization.member();
  expectStatus(await gone.post("/api/organization/leave"), 204);
  const own = (await organization.admin.get("/api/organization")).body;

  const { body } = expectStatus(await admin.get(path(organization.id)), 200);
  expect(body).toMatchObject({ ...own, memberCount: 2 });
  const list = (await admin.get(`/api/organizations?organization=${organization.id}`)).body;
  expect(list).toEqual({ data: [body], total: 1, page: 1, pageSize: 20 });
});

test("organizations are listed newest first, or sorted by name or time, in pages", async () => {
  const admin = await t.platformAdmin();
  const { tag, withTag } = await namedOrganizations("beta", "Álpha", "Gamma");
  const [beta, alpha, gamma] = [withTag("beta"), withTag("Álpha"), withTag("Gamma")];
  const search = `search=${tag}`;
  expect(await namesOf(admin, search)).toEqual([3, gamma, alpha, beta]);
  expect(await namesOf(admin, `${search}&order=asc`)).toEqual([3, beta, alpha, gamma]);
  expect(await namesOf(admin, `${search}&sort=createdAt&order=desc`)).toEqual([3, gamma, alpha, beta]);
  expect(await namesOf(admin, `${search}&sort=name&order=asc`)).toEqual([3, alpha, beta, gamma]);
  expect(await namesOf(admin, `${search}&sort=name&order=desc`)).toEqual([3, gamma, beta, alpha]);
  expect(await namesOf(admin, `${search}&pageSize=2&page=2`)).toEqual([3, beta]);
  expect(await namesOf(admin, `${search}&page=9`)).toEqual([3]);
  const { body } = expectStatus(await admin.get("/api/organizations?sort=slug&pageSize=101"), 400);
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(["pageSize", "sort"]);
});

test("a search of organizations matches names literally, ignoring case and accents", async () => {
  const admin = await t.platformAdmin();
  const { tag, withTag } = await namedOrganizations("50%_Café", "Οδυσσέας", "Plain");
  const find = (text: string) => namesOf(admin, `search=${encodeURIComponent(`${text} ${tag}`)}`);
  expect(await find("CAFE")).toEqual([1, withTag("50%_Café")]);
  expect(await find("50%_café")).toEqual([1, withTag("50%_Café")]);
  expect(await find("ΟΔΥΣΣΕΑΣ")).toEqual([1, withTag("Οδυσσέας")]);
  expect(await find("σσεασ")).toEqual([1, withTag("Οδυσσέας")]);
  for (const pattern of ["5_%", "%", "_", "P%n", "\\"])
    expect([pattern, await find(pattern)]).toEqual([pattern, [0]]);
  expect(await namesOf(admin, `search=${"a".repeat(200)}`)).toEqual([0]);
  expectStatus(await admin.get(`/api/organizations?search=${"a".repeat(201)}`), 400);
});

test("the organization filter and X-Organization-Id are combined; unknown ids match nothing", async () => {
  const admin = await t.platformAdmin();
  const { tag, ids, withTag } = await namedOrganizations("One", "Two", "Three");
  const [one = "", two = "", three = ""] = ids;
  const unknown = crypto.randomUUID();
  const both = [2, withTag("Two"), withTag("One")];

  expect(await namesOf(admin, `organization=${one}&organization=${two}`)).toEqual(both);
  expect(await namesOf(admin, `organization[]=${one}&organization[]=${two.toUpperCase()}`)).toEqual(both);
  expect(await namesOf(admin, "", named(one, two))).toEqual(both);
  expect(await namesOf(admin, "", named(one, unknown, two))).toEqual(both);
  expect(await namesOf(admin, `organization=${one}&organization=${two}`, named(two, three))).toEqual([
    1,
    withTag("Two"),
  ]);
  expect(await namesOf(admin, `organization=${one}`, named(two))).toEqual([0]);
  expect(await namesOf(admin, `organization=${unknown}`)).toEqual([0]);
  expect(await namesOf(admin, `search=${tag}`, named(unknown))).toEqual([0]);
  expect(await namesOf(admin, `search=${tag}`, named(""))).toEqual([
    3,
    ...["Three", "Two", "One"].map(withTag),
  ]);
  expect(await namesOf(admin, `search=two ${tag}&organization=${one}`)).toEqual([0]);
});

test("platform administrators can change only name and slug of an organization, with an audit event of the organization", async () => {
  const admin = await t.platformAdmin();
  const { id, admin: founder } = await createOrganization(t, "Before");
  const before = (await admin.get(path(id))).body;
  const change = { name: "After", slug: `after-${uniqueTag()}` };
  expect((await admin.patch(path(id), change)).body).toEqual({ ...before, ...change });
  expect((await founder.get("/api/organization")).body).toMatchObject(change);
  for (const body of [{}, change])
    expect(expectStatus(await admin.patch(path(id), body), 200).body).toEqual({ ...before, ...change });

  const { body } = expectStatus(await admin.patch(path(id), { defaultRoleId: null, status: "ACTIVE" }), 400);
  expect(body.message).toBe("property defaultRoleId should not exist; property status should not exist");
  expect(await eventsOf(t, "ORGANIZATION_UPDATED", id)).toMatchObject([
    {
      actor_id: await userIdOf(t, admin),
      target_type: "organization",
      organization_id: id,
      metadata: { from: { name: "Before" }, to: change },
    },
  ]);
});

test("the platform's routes for an unknown or deleted organization are 404, for an invalid id 400, and ignore X-Organization-Id", async () => {
  const admin = await t.platformAdmin();
  const { id } = await createOrganization(t);
  const other = named(crypto.randomUUID());
  expect(expectStatus(await admin.get(path(id), other), 200).body.id).toBe(id);
  expectStatus(await admin.patch(path(id), { name: "Changed" }, other), 200);
  expectStatus(await admin.delete(path(id), other), 204);

  for (const missing of [id, crypto.randomUUID()]) {
    expectStatus(await admin.get(path(missing)), 404);
    expectStatus(await admin.patch(path(missing), {}), 404);
    expectStatus(await admin.patch(`${path(missing)}/status`, { status: "ACTIVE" }), 404);
    expectStatus(await admin.delete(path(missing)), 404);
    expectStatus(await admin.patch(path(missing), { slug: "-" }), 400);
  }
  expect((await admin.get(path("x"))).body.message).toBe("id must be a UUID");
  expect(await namesOf(admin, `organization=${id}`)).toEqual([0]);
  expect((await eventsAbout(t, id)).map(({ action }) => action)).toEqual([
    "ORGANIZATION_CREATED",
    "ORGANIZATION_SWITCHED",
    "ORGANIZATION_UPDATED",
    "ORGANIZATION_DELETED",
  ]);
});
