import { MEMBER } from "../../../src/core/access/catalog.ts";
import { digest } from "./baseline/tokens.ts";
import { bearer, type Client, request } from "./load.ts";
import type { Database } from "./seed.ts";
import { CONNECTIONS, PASSWORD, type Person, type World } from "./world.ts";

/** One of the two measured servers, the service or the baseline, with its own database. */
export type Side = { world: World; db: Database; sign: (userId: string) => string };

/** A measured kind of work. The service and the baseline get the same requests. */
export type Scenario = {
  name: string;
  /** Creates the clients of one server. It is called once. */
  clients(side: Side): Client[];
  /** Runs before each measurement. Its duration is not measured. */
  before?(side: Side): Promise<void>;
  /**
   * Waits for background work that the requests caused. Its CPU time and statements are measured, its duration is
   * not.
   */
  settle?(side: Side): Promise<void>;
  /** A factor for the duration of a measurement, for slow requests. */
  stretch?: number;
  /** Returns the part of a response that must be equal on both servers. */
  comparable?(body: string): unknown;
};

const connections = (make: (index: number) => Client) =>
  Array.from({ length: CONNECTIONS }, (_, index) => make(index));
const of = <One>(all: One[], index: number) => all[index] as One;
const always = (text: string): Client => ({ next: () => text });

/** A scenario in which each user reads one list or record repeatedly. */
const reading = (name: string, path: string): Scenario => ({
  name,
  clients: ({ world }) =>
    connections((index) => always(request("GET", path, bearer(of(world.people, index).accessToken)))),
});

/** A scenario in which administrators of the organization with 2,000 units read one list or record repeatedly. */
const readingAs = (name: string, path: string, who: "administrators" | "unitAdministrators"): Scenario => ({
  name,
  clients: ({ world }) => connections((index) => always(request("GET", path, bearer(of(world[who], index))))),
});

/** Returns the claims of an access token, except those that differ per sign-in. */
function claims(body: string) {
  const { accessToken } = JSON.parse(body);
  const payload = Buffer.from(accessToken.split(".")[1], "base64url").toString();
  const { sid: _session, iat: _issued, exp: _until, auth_time: _proved, ...rest } = JSON.parse(payload);
  return rest;
}

const login: Scenario = {
  name: "login",
  stretch: 2,
  comparable: claims,
  clients: ({ world }) =>
    connections((index) => {
      const { email } = of(world.people, CONNECTIONS + index);
      return always(request("POST", "/api/auth/login", {}, { email, password: PASSWORD }));
    }),
};

const refresh: Scenario = {
  name: "refresh",
  comparable: claims,
  clients: ({ world }) =>
    connections((index) => {
      let { cookie } = of(world.people, index);
      return {
        next: () => request("POST", "/api/auth/refresh", { cookie: `refresh_token=${cookie}` }),
        onResponse(head) {
          cookie = /set-cookie: refresh_token=([^;]*)/i.exec(head)?.[1] ?? cookie;
        },
      };
    }),
};

/**
 * A scenario in which each connection invites new addresses into its own organization. The service also sends the
 * mails.
 */
const invite: Scenario = {
  name: "invite",
  comparable(body) {
    const { id: _id, expiresAt: _expiry, lastSentAt: _sent, createdAt: _created, ...rest } = JSON.parse(body);
    return rest;
  },
  clients: ({ world }) =>
    connections((index) => {
      const headers = bearer(of(world.people, index).ownToken);
      const assignments = [{ roleId: MEMBER.id, unitId: null }];
      let sent = 0;
      return {
        next() {
          sent += 1;
          const email = `invited-${index}-${sent}@example.com`;
          return request("POST", "/api/members/invitations", headers, { email, assignments });
        },
      };
    }),
  // Deletes the records of invitation mails; otherwise the hourly limit would be reached quickly.
  before: async ({ db }) => void (await db.sql("DELETE FROM user_invitation_sends")),
  async settle({ db }) {
    const left = `SELECT FROM pgboss.job WHERE state IN ('created', 'active') AND start_after <= now() LIMIT 1`;
    while ((await db.sql(left)).length > 0) await Bun.sleep(100);
  },
};

/** The number of pending invitations. It is more than can be accepted in one measurement. */
const WAITING = 3_000;
type Waiting = { token: string; accessToken: string };
const waitingOf = new WeakMap<Side, Waiting[]>();

/** A scenario in which existing accounts accept invitations into as many organizations as there are connections. */
const accept: Scenario = {
  name: "accept",
  clients: (side) =>
    connections(() => ({
      next() {
        const waiting = waitingOf.get(side)?.pop();
        if (waiting === undefined) return null;
        const { accessToken, token } = waiting;
        return request("POST", "/api/auth/accept-invitation", bearer(accessToken), { token });
      },
    })),
  before: async (side) => void waitingOf.set(side, await seedInvitations(side)),
};

async function seedInvitations({ db, world, sign }: Side): Promise<Waiting[]> {
  const mark = crypto.randomUUID();
  const tokens = Array.from({ length: WAITING }, (_, index) => `${mark}-${index}`);
  const inviters: Person[] = world.people.slice(0, CONNECTIONS);
  await db.sql(
    `WITH forgotten AS (DELETE FROM user_invitations WHERE accepted_at IS NULL AND email LIKE '%@waiting.example' RETURNING id)
     DELETE FROM user_invitation_assignments WHERE invitation_id IN (SELECT id FROM forgotten)`,
  );
  const people = await db.sql<{ id: string; token: string }>(
    `WITH given AS (
       SELECT token, hash, token || '@waiting.example' AS email, ($3::uuid[])[1 + nth % cardinality($3::uuid[])] AS inviter_id
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (token, hash, nth)
     ), made AS (
       INSERT INTO users (email, first_name, last_name, language, email_verified_at)
       SELECT email, 'Ina', 'Invited', 'EN', now() FROM given RETURNING id, email
     ), invited AS (
       INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id)
       SELECT o.id, given.email, 'EN', hash, now() + interval '1 day', inviter_id
       FROM given JOIN users u ON u.id = inviter_id JOIN organizations o ON o.name = 'Of ' || u.email
       RETURNING id
     ), granted AS (
       INSERT INTO user_invitation_assignments (invitation_id, role_id) SELECT id, $4::uuid FROM invited
     )
     SELECT made.id, given.token FROM made JOIN given USING (email)`,
    [tokens, tokens.map(digest), inviters.map(({ id }) => id), MEMBER.id],
  );
  return people.map(({ id, token }) => ({ token, accessToken: sign(id) }));
}

export const scenarios: Scenario[] = [
  reading("profile", "/api/profile"),
  reading("my organizations", "/api/auth/organizations"),
  reading("members, 20 of 64", "/api/members"),
  readingAs("members of 150 units, 20 of 1,000", "/api/members", "unitAdministrators"),
  readingAs("units, all 2,000", "/api/units", "administrators"),
  reading("todos, 20 of 200", "/api/todos"),
  ...[login, refresh, invite, accept],
];
