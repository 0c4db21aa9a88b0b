import type { Random } from "../../support/image-mutations.ts";
import type { Person } from "./people.ts";
import { create, MEMBERS, pick, pickPerson, type Weighted, type WorkContext } from "./work-context.ts";

/** Work on a user's own records, and other reads. */
export const PERSONAL_WORK: Weighted = [
  [
    12,
    async (w, random, text) => {
      const person = pickPerson(w, random, ...MEMBERS);
      const { body } = await create(w, random, person, {
        ...{ path: "/api/todos", body: { title: text }, effect: { kind: "todo", text } },
      });
      if (typeof body.id === "string" && random(2) === 0) await expectListed(w, random, person, body.id);
      if (typeof body.id === "string")
        w.known.todos.set(person, [...(w.known.todos.get(person) ?? []).slice(-20), body.id]);
    },
  ],
  [
    8,
    async (w, random) => {
      const person = pickPerson(w, random, ...MEMBERS);
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
        pickPerson(w, random, ...MEMBERS),
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
        pickPerson(w, random, "operator"),
        random(1_000),
        { method: "GET", path: pick(random, lists) ?? "" },
        [200],
      );
    },
  ],
  [16, async (w, random) => w.client.refresh(pickPerson(w, random, ...MEMBERS, "operator"), random(1_000))],
  [
    6,
    async (w, random) => {
      const email = pickPerson(w, random, ...MEMBERS).email;
      await w.client.send(
        pickPerson(w, random, "MEMBER"),
        random(1_000),
        { method: "POST", path: "/api/auth/forgot-password", body: { email } },
        [202],
      );
    },
  ],
  [
    3,
    async (w, random) => {
      const path = "/api/notifications/test";
      const person = pickPerson(w, random, ...MEMBERS, "listener");
      const { status, body } = await w.client.send(
        person,
        random(1_000),
        { method: "POST", path },
        [201, 429],
      );
      if (status === 201) w.effects.push({ kind: "notification", text: String(body.id), isConfirmed: true });
    },
  ],
  [
    2,
    async (w, random) => {
      await w.client.send(
        pickPerson(w, random, ...MEMBERS, "listener"),
        random(1_000),
        { method: "POST", path: "/api/notifications/read-all" },
        [204],
      );
    },
  ],
];

/** Checks that the next list contains a record that was just created, on any instance and any server (rules 25.5). */
async function expectListed(w: WorkContext, random: Random, person: Person, id: string) {
  const path = "/api/todos?pageSize=100";
  const { status, body } = await w.client.send(person, random(1_000), { method: "GET", path }, [200]);
  const rows = (body.data ?? []) as { id: string }[];
  if (status === 200 && !rows.some((row) => row.id === id))
    w.violations.push(`a todo was created with 201, and the next list lacks it: ${id}`);
}
