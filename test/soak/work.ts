import { createHash } from "node:crypto";
import type { ReceivedMail } from "../../src/dev/inbox.ts";
import type { Payments } from "../../src/dev/payments.ts";
import { fields, formOf, image } from "../support/forms.ts";
import type { Random } from "../support/image-mutations.ts";
import { pngWith } from "../support/images.ts";
import { type Client, NO_ANSWER } from "./client.ts";
import { type Person, roleOf } from "./people.ts";

/** An effect that was asked for: `isSure` when the answer said that it took place. */
export type Effect = {
  kind: "todo" | "unit" | "role" | "message" | "notification";
  text: string;
  isSure: boolean;
};

export type Workplace = {
  client: Client;
  people: Person[];
  payments: Payments;
  mails: ReceivedMail[];
  effects: Effect[];
  /** Ids that answers brought, by kind. */
  known: { todos: Map<Person, string[]>; tickets: { id: string; by: Person }[] };
  accepted: Set<string>;
};

/** One piece of work: who does what is chosen by the seed alone, what it is done to by what is there. */
type Work = (w: Workplace, random: Random, text: string) => Promise<void>;

const pick = <T>(random: Random, all: T[]): T | undefined => all[random(all.length)];
const being = (w: Workplace, random: Random, ...roles: Person["role"][]) =>
  pick(
    random,
    w.people.filter(({ role }) => roles.includes(role)),
  ) as Person;
const inside = (...roles: Person["role"][]) => roles;
const ANYBODY = inside("ORG_ADMIN", "UNIT_ADMIN", "MEMBER");

/** A request that creates something, which is remembered as an effect with its text. */
async function create(
  w: Workplace,
  random: Random,
  person: Person,
  { path, body, effect }: { path: string; body: unknown; effect: Omit<Effect, "isSure"> },
  refused: number[] = [],
) {
  const answer = await w.client.send(person, random(1_000), { method: "POST", path, body }, [
    201,
    ...refused,
  ]);
  const isRefused = answer.status >= 400 && answer.status < 500;
  if (!isRefused) w.effects.push({ ...effect, isSure: answer.status === 201 });
  return answer;
}

/** What people do, and how often. */
const WORK: [weight: number, work: Work][] = [
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
    8,
    async (w, random) => {
      const lists = [
        "/api/members",
        "/api/units",
        "/api/roles",
        "/api/organization/audit-events",
        "/api/organization/billing",
        "/api/organization/helpdesk/tickets",
        "/api/members/invitations",
      ];
      await w.client.send(
        being(w, random, "ORG_ADMIN"),
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
    async (w, random, text) => {
      await create(w, random, being(w, random, "ORG_ADMIN"), {
        ...{ path: "/api/units", body: { name: text, parentId: null }, effect: { kind: "unit", text } },
      });
    },
  ],
  [
    2,
    async (w, random, text) => {
      const body = { name: text, permissions: ["Units.Read"] };
      await create(w, random, being(w, random, "ORG_ADMIN"), {
        path: "/api/roles",
        body,
        effect: { kind: "role", text },
      });
    },
  ],
  [
    2,
    async (w, random) => {
      const admin = being(w, random, "ORG_ADMIN");
      const members = w.people.filter(
        ({ organization, role }) => organization === admin.organization && role === "MEMBER",
      );
      const member = pick(random, members);
      const units = admin.organization?.units ?? [];
      const assignments = [{ roleId: roleOf("MEMBER"), unitId: pick(random, units) ?? null }];
      await w.client.send(
        admin,
        random(1_000),
        { method: "PATCH", path: `/api/members/${member?.id}/roles`, body: { assignments } },
        [200],
      );
    },
  ],
  [
    4,
    async (w, random, text) => {
      const admin = being(w, random, "ORG_ADMIN");
      const assignments = [{ roleId: roleOf("MEMBER"), unitId: null }];
      const body = { email: `${text.replaceAll(" ", "-")}@example.com`, assignments };
      await w.client.send(
        admin,
        random(1_000),
        { method: "POST", path: "/api/members/invitations", body },
        [201, 403],
      );
    },
  ],
  [
    4,
    async (w, random) => {
      const mail = w.mails.find(({ links }) =>
        links.some((link) => link.includes("/accept-invitation") && !w.accepted.has(link)),
      );
      const link = mail?.links.find((one) => one.includes("/accept-invitation")) ?? "";
      if (link === "") return;
      w.accepted.add(link);
      const stranger: Person = {
        id: "",
        email: "",
        role: "MEMBER",
        organization: null,
        token: "",
        cookie: null,
      };
      const body = {
        token: new URL(link).searchParams.get("token"),
        password: "another blue yonder",
        firstName: "New",
        lastName: "Person",
      };
      const answer = await w.client.send(
        { ...stranger },
        random(1_000),
        { method: "POST", path: "/api/auth/accept-invitation", body },
        [204, 400, 409],
      );
      if (answer.status === NO_ANSWER || answer.status >= 500) w.accepted.delete(link);
    },
  ],
  [
    4,
    async (w, random, text) => {
      const person = being(w, random, "MEMBER");
      const values = { subject: text, category: "BUG", message: text };
      const { raw, headers } = formOf([...fields(values), ...(random(2) === 0 ? [image(pngWith())] : [])]);
      const path = "/api/support/tickets";
      const answer = await w.client.send(
        person,
        random(1_000),
        { method: "POST", path, raw: raw as Uint8Array<ArrayBuffer>, headers: headers ?? {} },
        [201, 429],
      );
      if (answer.status < 400 || answer.status >= 500)
        w.effects.push({ kind: "message", text, isSure: answer.status === 201 });
      if (typeof answer.body.id === "string") w.known.tickets.push({ id: answer.body.id, by: person });
    },
  ],
  [
    5,
    async (w, random, text) => {
      const admin = being(w, random, "ORG_ADMIN");
      const ticket = pick(
        random,
        w.known.tickets.filter(({ by }) => by.organization === admin.organization).slice(-5),
      );
      if (ticket === undefined) return;
      const path = `/api/organization/helpdesk/tickets/${ticket.id}/messages`;
      await create(
        w,
        random,
        admin,
        { path, body: { message: text }, effect: { kind: "message", text } },
        [409, 429],
      );
    },
  ],
  [
    3,
    async (w, random) => {
      const operator = being(w, random, "operator");
      const ticket = pick(random, w.known.tickets.slice(-10));
      const status = pick(random, ["OPEN", "IN_PROGRESS", "RESOLVED"]);
      if (ticket !== undefined)
        await w.client.send(
          operator,
          random(1_000),
          { method: "PATCH", path: `/api/helpdesk/tickets/${ticket.id}`, body: { status } },
          [200],
        );
    },
  ],
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
    async (w, random, text) => {
      const customer = being(w, random, "ORG_ADMIN").organization?.customer ?? "";
      const id = `evt_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
      const { body, signature } = w.payments.event("customer.subscription.updated", { customer }, { id });
      await w.client.send(
        being(w, random, "MEMBER"),
        random(1_000),
        {
          method: "POST",
          path: "/api/billing/webhook",
          raw: body,
          headers: { "stripe-signature": signature },
        },
        [200],
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

const TOTAL = WORK.reduce((sum, [weight]) => sum + weight, 0);

/** Does one piece of work, chosen by the seed. */
export async function workOnce(w: Workplace, random: Random, text: string): Promise<void> {
  let left = random(TOTAL);
  for (const [weight, work] of WORK) {
    left -= weight;
    if (left < 0) return work(w, random, text);
  }
}
