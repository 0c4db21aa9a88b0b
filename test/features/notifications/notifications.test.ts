import { expect, test } from "bun:test";
import { makeUp } from "../../support/document.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Inserts notifications of a user; the last one is the newest. */
async function notified(email: string, count: number) {
  await makeUp(
    t.sql<{ id: string }>(
      `INSERT INTO notifications (user_id, type, data, created_at)
     SELECT u.id, 'TEST', jsonb_build_object('n', n), now() + make_interval(secs => n)
     FROM users u, generate_series(1, $2::int) n WHERE u.email = $1 RETURNING id`,
      [email, count],
    ),
  );
}

test("a new account has an unread WELCOME notification", async () => {
  const person = await t.person();
  const { body } = expectStatus(await person.get("/api/notifications"), 200);
  expect(body).toMatchObject({ total: 1, page: 1, pageSize: 20 });
  expect(body.data[0]).toMatchObject({ type: "WELCOME", data: {}, readAt: null });
  expect((await person.get("/api/notifications/unread-count")).body).toEqual({ count: 1 });
});

test("pages of notifications have a stable order, and `total` counts exactly the listed rows", async () => {
  const person = await t.person();
  await notified(person.email, 44);
  const numbers = async (query: string) => {
    const { body } = expectStatus(await person.get(`/api/notifications?${query}`), 200);
    return [body.total, ...body.data.map(({ data }: { data: { n?: number } }) => data.n ?? 0)];
  };
  expect(await numbers("pageSize=3")).toEqual([45, 44, 43, 42]);
  expect(await numbers("pageSize=3&page=2")).toEqual([45, 41, 40, 39]);
  expect(await numbers("pageSize=3&order=asc&sort=createdAt")).toEqual([45, 0, 1, 2]);
  expect(await numbers("pageSize=20&page=3")).toEqual([45, 4, 3, 2, 1, 0]);
  expect(await numbers("page=1000000000&pageSize=100")).toEqual([45]);
});

test("all errors of an invalid query of notifications are returned at once", async () => {
  const person = await t.person();
  const messages = async (query: string) =>
    (await person.get(`/api/notifications?${query}`)).body.errors.map(
      ({ message }: { message: string }) => message,
    );
  expect(await messages("page=0&pageSize=101&sort=type&order=up&unread=maybe&colour=red")).toEqual([
    "page must not be less than 1",
    "pageSize must not be greater than 100",
    "sort must be one of the following values: createdAt",
    "order must be one of the following values: asc, desc",
    "unread must be one of the following values: true, false",
    "property colour should not exist",
  ]);
  expect(await messages("page=1.5&pageSize=many")).toEqual([
    "page must be an integer",
    "pageSize must be an integer",
  ]);
  expect(await messages("page=1&page=2")).toEqual(["page must not be repeated"]);
  expect(await messages("page=&pageSize=1e2")).toEqual([
    "page must be an integer",
    "pageSize must be an integer",
  ]);
});

test("marking one or all as read, and dismissing, change only the caller's notifications", async () => {
  const [person, other] = [await t.person(), await t.person()];
  await notified(person.email, 3);
  const newest = (await person.get("/api/notifications")).body.data[0];
  const path = `/api/notifications/${newest.id}`;

  for (const stranger of [other]) {
    expectStatus(await stranger.post(`${path}/read`), 404);
    expectStatus(await stranger.delete(path), 404);
  }
  expectStatus(await person.post(`${path}/read`), 204);
  const { readAt } = (await person.get("/api/notifications")).body.data[0];
  expectStatus(await person.post(`${path}/read`), 204);
  expect((await person.get("/api/notifications")).body.data[0].readAt).toBe(readAt);
  expect((await person.get("/api/notifications?unread=true")).body.total).toBe(3);

  expectStatus(await person.delete(path), 204);
  expectStatus(await person.delete(path), 404);
  expectStatus(await person.post(`${path}/read`), 404);
  expect((await person.get("/api/notifications")).body.total).toBe(3);

  expectStatus(await person.post("/api/notifications/read-all"), 204);
  expect((await person.get("/api/notifications/unread-count")).body).toEqual({ count: 0 });
  expect((await other.get("/api/notifications/unread-count")).body).toEqual({ count: 1 });
});

test("an invalid notification id is 400, an unknown one 404", async () => {
  const person = await t.person();
  expect((await person.delete("/api/notifications/nothing")).body.message).toBe("id must be a UUID");
  expectStatus(await person.delete(`/api/notifications/${crypto.randomUUID()}`), 404);
});
