import type { Caller } from "../support/caller.ts";
import type { Service } from "../support/service.ts";
import { type Client, request } from "./load.ts";

/** What is measured: the same work asked of the service and of the floor. */
export type Scenario = {
  name: string;
  /** Makes the clients of both sides; called once. */
  prepare(t: Service): Promise<{ service: Client[]; floor: Client[] }>;
};

const CLIENTS = 16;

/** `count` clients, each made by its number. */
const clients = async (make: (index: number) => Promise<Client>, count = CLIENTS) =>
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
