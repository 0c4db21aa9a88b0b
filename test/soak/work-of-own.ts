import { ANYBODY, being, create, pick, type Weighted } from "./workplace.ts";

/** What people do with what is their own, and what they look at. */
export const OF_OWN: Weighted = [
  [
    12,
    async (w, random, text) => {
      const person = being(w, random, ...ANYBODY);
      const { body } = await create(w, random, person, {
        ...{ path: "/api/todos", body: { title: text }, effect: { kind: "todo", text } },
      });
      if (typeof body.id === "string")
        w.known.todos.set(person, [...(w.known.todos.get(person) ?? []).slice(-20), body.id]);
    },
  ],
  [
    8,
    async (w, random) => {
      const person = being(w, random, ...ANYBODY);
      const id = pick(random, w.known.todos.get(person) ?? []);
      if (id !== undefined)
        await w.client.send(
          person,
          random(1_000),
          { method: "PATCH", path: `/api/todos/${id}`, body: { completed: random(2) === 0 } },
          [200],
        );
    },
  ],
  [
    20,
    async (w, random) => {
      const lists = [
        "/api/todos",
        "/api/notifications",
        "/api/support/tickets",
        "/api/profile",
        "/api/notifications/unread-count",
      ];
      await w.client.send(
        being(w, random, ...ANYBODY),
        random(1_000),
        { method: "GET", path: pick(random, lists) ?? "" },
        [200],
      );
    },
  ],
  [
    3,
    async (w, random) => {
      const lists = ["/api/users", "/api/organizations", "/api/audit-events", "/api/helpdesk/tickets"];
      await w.client.send(
        being(w, random, "operator"),
        random(1_000),
        { method: "GET", path: pick(random, lists) ?? "" },
        [200],
      );
    },
  ],
  [8, async (w, random) => w.client.refresh(being(w, random, ...ANYBODY, "operator"), random(1_000))],
  [
    2,
    async (w, random) => {
      const email = being(w, random, ...ANYBODY).email;
      await w.client.send(
        being(w, random, "MEMBER"),
        random(1_000),
        { method: "POST", path: "/api/auth/forgot-password", body: { email } },
        [202],
      );
    },
  ],
  [
    2,
    async (w, random) => {
      await w.client.send(
        being(w, random, ...ANYBODY),
        random(1_000),
        { method: "POST", path: "/api/notifications/read-all" },
        [204],
      );
    },
  ],
];
