import type { Caller } from "../support/caller.ts";
import type { Service } from "../support/service.ts";
import { AUDIT_READINGS, auditReadings } from "./audit.ts";
import { inviting } from "./invitations.ts";
import { type Client, request } from "./load.ts";
import { type Place, places } from "./places.ts";
import { todoReaders } from "./todos.ts";

/** What is measured: the same work asked of the service and of the floor. */
export type Scenario = {
  name: string;
  /** Makes the clients of both sides; called once. */
  prepare(t: Service): Promise<{ service: Client[]; floor: Client[] }>;
};

const CLIENTS = 16;

/** `count` clients, each made by its number. */
export const clients = async (make: (index: number) => Promise<Client>, count = CLIENTS) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

export const scenarios: Scenario[] = [
  {
    name: "signed-in read (GET /api/profile)",
    async prepare(t) {
      const person = await t.person();
      const [user] = await t.sql<{ id: string }>("SELECT id FROM users WHERE email = $1", [person.email]);
      const read = request("GET", "/api/profile", { authorization: `Bearer ${person.accessToken}` });
      const bare = request("GET", "/profile", { "x-user": user?.id ?? "" });
      return {
        service: await clients(async () => ({ next: () => read })),
        floor: await clients(async () => ({ next: () => bare })),
      };
    },
  },
  {
    name: "refresh (POST /api/auth/refresh)",
    async prepare(t) {
      return {
        service: await clients(async () => refreshing(await t.person(), "/api/auth/refresh")),
        floor: await clients(async () => refreshing(await t.person(), "/refresh")),
      };
    },
  },
  ...(["1,000", "50,000"] as const).flatMap((size) => [
    reading(`members of ${size}`, "/api/members", async (t) => {
      const { everything } = await (await places(t))[size];
      return { ...everything, bare: "/members" };
    }),
    reading(`members of ${size}, search`, "/api/members?search=lovelace", async (t) => {
      const { everything } = await (await places(t))[size];
      return { ...everything, filters: { ...everything.filters, search: "lovelace" }, bare: "/members" };
    }),
    reading(`members of ${size}, of 150 units`, "/api/members", async (t) => {
      const { in150Units } = await (await places(t))[size];
      return { ...in150Units, bare: "/members" };
    }),
  ]),
  reading("units, 2,000 of them", "/api/units", async (t) => {
    const { everything } = await (await places(t))["50,000"];
    return { ...everything, filters: { ...everything.filters, id: null }, bare: "/units" };
  }),
  ...(["everybody", "150 units", "1,500 units"] as const).map((whose) =>
    readingTodos(`todos of ${whose}, of 100,000`, whose),
  ),
  inviting,
  ...AUDIT_READINGS.map(readingAudit),
  {
    name: "login (POST /api/auth/login)",
    async prepare(t) {
      return {
        service: await clients(async () => signingIn(await t.person(), "/api/auth/login")),
        floor: await clients(async () => signingIn(await t.person(), "/login")),
      };
    },
  },
];

/** The first page of everybody's todos in reach. */
function readingTodos(name: string, whose: keyof Awaited<ReturnType<typeof todoReaders>>): Scenario {
  return {
    name,
    async prepare(t) {
      const { accessToken, filters } = (await todoReaders(t))[whose];
      const read = request("GET", "/api/todos/all", { authorization: `Bearer ${accessToken}` });
      const same = request("POST", "/todos", {}, filters);
      return {
        service: await clients(async () => ({ next: () => read })),
        floor: await clients(async () => ({ next: () => same })),
      };
    },
  };
}

/** A list that the same caller reads over and over. */
function reading(
  name: string,
  path: string,
  prepare: (t: Service) => Promise<Place & { bare: string }>,
): Scenario {
  return {
    name,
    async prepare(t) {
      const { caller, filters, bare } = await prepare(t);
      const read = request("GET", path, { authorization: `Bearer ${caller.accessToken}` });
      const same = request("GET", bare, { "x-filters": JSON.stringify(filters) });
      return {
        service: await clients(async () => ({ next: () => read })),
        floor: await clients(async () => ({ next: () => same })),
      };
    },
  };
}

/** A reading of the audit log. */
function readingAudit(name: (typeof AUDIT_READINGS)[number]): Scenario {
  return {
    name: `audit log, ${name}`,
    async prepare(t) {
      const { caller, query, roots, values } = (await auditReadings(t))[name];
      const path = `/api/organization/audit-events?${query}`;
      const read = request("GET", path, { authorization: `Bearer ${caller.accessToken}` });
      const same = request("GET", "/audit", { "x-filters": JSON.stringify({ roots, ...values }) });
      return {
        service: await clients(async () => ({ next: () => read })),
        floor: await clients(async () => ({ next: () => same })),
      };
    },
  };
}

/** Sends the cookie that the last answer set. */
function refreshing(person: Caller, path: string): Client {
  let cookie = person.cookie ?? "";
  return {
    next: () => request("POST", path, { cookie: `refresh_token=${cookie}` }),
    answered(head) {
      cookie = /set-cookie: refresh_token=([^;]*)/i.exec(head)?.[1] ?? cookie;
    },
  };
}

function signingIn(person: Caller, path: string): Client {
  const login = request("POST", path, {}, person.account);
  return { next: () => login };
}
