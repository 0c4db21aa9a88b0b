import { NO_ACTIVE_ORGANIZATION } from "../../src/core/access/active-organization.ts";
import { MEMBER } from "../../src/core/access/catalog.ts";
import { tokenHash } from "../../src/platform/crypto.ts";
import type { Service } from "../support/service.ts";
import { type Client, request } from "./load.ts";
import type { Scenario } from "./scenarios.ts";

const CLIENTS = 8;
/** More than a run uses up. */
const WAITING = 4_000;

/**
 * Invites one address and accepts another's waiting invitation, in turns, each client in an organization of its own.
 * The accounts exist, or password hashes would be all that is measured; their tokens are known, for mails are not read.
 */
export const inviting: Scenario = {
  name: "invite and accept",
  async prepare(t) {
    const admin = await t.platformAdmin();
    const [{ id: adminId } = { id: "" }] = await t.sql<{ id: string }>(
      "SELECT id FROM users WHERE email = $1",
      [admin.email],
    );
    const make = (client: (place: Place) => Client) =>
      Promise.all(Array.from({ length: CLIENTS }, async () => client(await grow(t, adminId))));
    return {
      service: await make(({ organizationId, waiting }) => {
        const headers = { authorization: `Bearer ${admin.accessToken}`, "x-organization-id": organizationId };
        return inTurns(waiting, {
          invite: (email) => request("POST", "/api/members/invitations", headers, inviteBody(email)),
          accept: ({ token, userId }) => {
            const sub = { sub: userId, sid: userId, isPlatformAdmin: false, ...NO_ACTIVE_ORGANIZATION };
            const accessToken = t.running.app.accessTokens.sign(sub);
            const authorization = `Bearer ${accessToken}`;
            return request("POST", "/api/auth/accept-invitation", { authorization }, { token });
          },
        });
      }),
      floor: await make(({ organizationId, waiting }) =>
        inTurns(waiting, {
          invite: (email) => request("POST", "/invite", {}, { organizationId, adminId, email }),
          accept: ({ token, userId }) => request("POST", "/accept", {}, { organizationId, token, userId }),
        }),
      ),
    };
  },
};

type Waiting = { token: string; userId: string };
type Place = { organizationId: string; waiting: Waiting[] };

const inviteBody = (email: string) => ({
  email,
  language: "en",
  assignments: [{ roleId: MEMBER.id, unitId: null }],
});

function inTurns(
  waiting: Waiting[],
  send: { invite: (email: string) => string; accept: (one: Waiting) => string },
): Client {
  let turn = 0;
  return {
    next() {
      turn += 1;
      if (turn % 2 === 1) return send.invite(`invited-${crypto.randomUUID()}@example.com`);
      const next = waiting.pop();
      if (next === undefined) throw new Error("Every waiting invitation has been accepted");
      return send.accept(next);
    },
  };
}

/** An organization with accounts whose invitations wait. */
async function grow(t: Service, invitedById: string): Promise<Place> {
  const mark = crypto.randomUUID().slice(0, 8);
  const [organization] = await t.sql<{ id: string }>(
    "INSERT INTO organizations (name, slug) VALUES ('Bench', 'bench-' || $1) RETURNING id",
    [mark],
  );
  const organizationId = organization?.id ?? "";
  const tokens = Array.from({ length: WAITING }, (_, index) => `${mark}-${index}`);
  const waiting = await t.sql<Waiting>(
    `WITH given AS (
       SELECT token, hash, $3 || '-' || token || '@example.com' AS email
       FROM unnest($1::text[], $2::text[]) AS t (token, hash)
     ), people AS (
       INSERT INTO users (email, first_name, last_name, language, email_verified_at)
       SELECT email, 'Ina', 'Invited', 'EN', now() FROM given RETURNING id, email
     ), invited AS (
       INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id)
       SELECT $4::uuid, email, 'EN', hash, now() + interval '1 day', $5::uuid FROM given RETURNING id
     ), granted AS (
       INSERT INTO user_invitation_assignments (invitation_id, role_id) SELECT id, $6::uuid FROM invited
     )
     SELECT given.token, people.id AS "userId" FROM given JOIN people USING (email)`,
    [tokens, tokens.map(tokenHash), mark, organizationId, invitedById, MEMBER.id],
  );
  return { organizationId, waiting };
}
