import type { Random } from "../../support/image-mutations.ts";
import type { Person } from "./people.ts";
import {
  create,
  MEMBERS,
  pick,
  pickPerson,
  reading,
  sendAs,
  type Weighted,
  type WorkContext,
} from "./work-context.ts";

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
      if (id === undefined) return;
      const request = { method: "PATCH", path: `/api/todos/${id}`, body: { completed: random(2) === 0 } };
      await w.client.send(person, random(1_000), request, [200]);
    },
  ],
  [
    20,
    reading(MEMBERS, [
      ...["/api/todos", "/api/notifications", "/api/support/tickets", "/api/profile"],
      "/api/notifications/unread-count",
    ]),
  ],
  [
    3,
    reading(["operator"], ["/api/users", "/api/organizations", "/api/audit-events", "/api/helpdesk/tickets"]),
  ],
  [16, async (w, random) => w.client.refresh(pickPerson(w, random, ...MEMBERS, "operator"), random(1_000))],
  [
    6,
    async (w, random) => {
      const { email } = pickPerson(w, random, ...MEMBERS);
      const request = { method: "POST", path: "/api/auth/forgot-password", body: { email } };
      await sendAs(w, random, ["MEMBER"], request, [202]);
    },
  ],
  [
    3,
    async (w, random) => {
      const request = { method: "POST", path: "/api/notifications/test" };
      const { status, body } = await sendAs(w, random, [...MEMBERS, "listener"], request, [201, 429]);
      if (status === 201) w.effects.push({ kind: "notification", text: String(body.id), isConfirmed: true });
    },
  ],
  [
    2,
    async (w, random) => {
      const request = { method: "POST", path: "/api/notifications/read-all" };
      await sendAs(w, random, [...MEMBERS, "listener"], request, [204]);
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
