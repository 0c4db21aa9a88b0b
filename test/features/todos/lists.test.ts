import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, messages } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Reads the caller's own todos; expects the same rows, with owners, in the list of all todos. */
async function list(caller: Caller, query = "") {
  const own = expectStatus(await caller.get(`/api/todos?${query}`), 200).body;
  const all = expectStatus(await caller.get(`/api/todos/all?${query}`), 200).body;
  const owner = { userId: idOf(caller), ownerEmail: caller.email };
  expect(all).toEqual({ ...own, data: own.data.map((todo: object) => ({ ...todo, ...owner })) });
  return own;
}
const titles = async (caller: Caller, query = ""): Promise<string[]> =>
  (await list(caller, query)).data.map(({ title }: { title: string }) => title);

/** Creates todos in a new organization, each a minute newer than the previous one; returns their owner. */
async function written(...all: string[]) {
  const org = await createOrganization(t);
  for (const title of all) {
    await t.age("todos", { organization_id: org.id }, { minutes: 1 });
    expectStatus(await org.admin.post("/api/todos", { title }), 201);
  }
  return org.admin;
}

test("todos are listed newest first, or sorted by time or title, in pages", async () => {
  const caller = await written("beta", "Álpha", "gamma", "Alpha 2");
  expect(await titles(caller)).toEqual(["Alpha 2", "gamma", "Álpha", "beta"]);
  expect(await titles(caller, "order=asc")).toEqual(["beta", "Álpha", "gamma", "Alpha 2"]);
  expect(await titles(caller, "sort=createdAt&order=desc")).toEqual(await titles(caller));
  expect(await titles(caller, "sort=title&order=asc")).toEqual(["Álpha", "Alpha 2", "beta", "gamma"]);
  expect(await titles(caller, "sort=title&order=desc")).toEqual(["gamma", "beta", "Alpha 2", "Álpha"]);
  expect(await list(caller, "pageSize=3&page=2")).toMatchObject({
    data: [{ title: "beta" }],
    total: 4,
    page: 2,
    pageSize: 3,
  });
  expect(await list(caller, "page=1000000000&pageSize=100")).toMatchObject({ data: [], total: 4 });
});

test("todos with equal times have a stable order across pages", async () => {
  const caller = await written(..."abcdefg");
  await t.sql("UPDATE todos SET created_at = now() WHERE user_id = $1", [idOf(caller)]);
  for (const order of ["asc", "desc"]) {
    const whole = (await list(caller, `order=${order}`)).data.map(({ id }: { id: string }) => id);
    const pages = [1, 2, 3, 4].map((page) => list(caller, `order=${order}&pageSize=2&page=${page}`));
    const cut = (await Promise.all(pages)).flatMap(({ data }) => data.map(({ id }: { id: string }) => id));
    expect(cut).toEqual(whole);
    expect(whole).toEqual(order === "asc" ? whole.toSorted() : whole.toSorted().reverse());
  }
});

test("pages far into the list continue after the previous page, in both sort orders, up to the last row", async () => {
  const caller = await written("the only one");
  // Three todos each have the same time, so that page boundaries fall between equal times.
  await t.sql(
    `INSERT INTO todos (organization_id, user_id, title, created_at)
     SELECT organization_id, user_id, 'Todo ' || n, now() - n / 3 * interval '1 minute'
     FROM todos, generate_series(1, 2430) n WHERE user_id = $1`,
    [idOf(caller)],
  );
  const stored = await t.sql<{ id: string }>(
    "SELECT id FROM todos WHERE user_id = $1 ORDER BY created_at, id",
    [idOf(caller)],
  );
  const oldestFirst = stored.map(({ id }) => id);
  for (const [order, expected] of [
    ["asc", oldestFirst],
    ["desc", oldestFirst.toReversed()],
  ] as const) {
    const read: string[] = [];
    for (let page = 1; page <= 26; page += 1) {
      const { data, total } = await list(caller, `order=${order}&pageSize=100&page=${page}`);
      expect([page, total]).toEqual([page, 2431]);
      read.push(...data.map(({ id }: { id: string }) => id));
    }
    expect(read).toEqual(expected);
  }
});

test("a search of todos matches titles literally, ignoring case and accents", async () => {
  const caller = await written("100% Café", "Under_score", "UnderXscore", "Back\\slash", "Πότισε τον ΚΉΠΟΣ");
  const found = (text: string) => titles(caller, `search=${encodeURIComponent(text)}`);
  expect(await found("CAFE")).toEqual(["100% Café"]);
  expect(await found("%")).toEqual(["100% Café"]);
  expect(await found("r_s")).toEqual(["Under_score"]);
  expect(await found("\\")).toEqual(["Back\\slash"]);
  for (const text of ["κηποσ", "κήπος", "ΠΟΤΙΣΕ"]) expect(await found(text)).toEqual(["Πότισε τον ΚΉΠΟΣ"]);
  expect(await found("nowhere")).toEqual([]);
  expect(await found("")).toHaveLength(5);
  const { total } = await list(caller, "search=score&pageSize=1");
  expect(total).toBe(2);
});

test("the filter `completed` returns only completed or only open todos", async () => {
  const caller = await written("one", "two", "three");
  const { id } = (await list(caller, "search=two")).data[0];
  expectStatus(await caller.patch(`/api/todos/${id}`, { completed: true }), 200);
  expect(await titles(caller, "completed=true")).toEqual(["two"]);
  expect(await titles(caller, "completed=false")).toEqual(["three", "one"]);
  expect(await list(caller, "completed=false&pageSize=1")).toMatchObject({ total: 2 });
  expect(await titles(caller, "completed=true&search=three")).toEqual([]);
});

test("all errors of an invalid query of todos are returned at once, on both lists", async () => {
  const org = await createOrganization(t);
  const query = `page=0&pageSize=101&sort=completed&order=up&completed=yes&unit=x&search=${"x".repeat(201)}`;
  for (const path of ["/api/todos", "/api/todos/all"]) {
    expect(messages(await org.admin.get(`${path}?${query}`)).toSorted()).toEqual([
      "completed must be one of the following values: true, false",
      "order must be one of the following values: asc, desc",
      "page must not be less than 1",
      "pageSize must not be greater than 100",
      "property unit should not exist",
      "search must be shorter than or equal to 200 characters",
      "sort must be one of the following values: createdAt, title",
    ]);
    expect(messages(await org.admin.get(`${path}?completed=true&completed=false`))).toEqual([
      "completed must not be repeated",
    ]);
  }
});
