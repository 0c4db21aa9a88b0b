import { SQL } from "bun";
import * as access from "#sql/access";
import * as audit from "#sql/effects";
import * as locks from "#sql/locks";
import * as members from "#sql/members";
import * as accounts from "#sql/people/accounts";
import * as memberships from "#sql/people/memberships";
import * as sessions from "#sql/sessions";
import * as todos from "#sql/todos";
import * as units from "#sql/units";
import { newToken, tokenHash } from "../../src/platform/crypto.ts";
import { loadEngine } from "../../src/platform/passwords/engine.ts";
import { createHasher } from "../../src/platform/passwords/hasher.ts";
import { auditHandlers } from "./audit-floor.ts";
import { invitationHandlers } from "./invitations-floor.ts";

/**
 * The floor: the very SQL of a route, and its hashing, in a bare `Bun.serve` on the same client. No routing, no
 * tokens, no validation, no logs, no headers. What the service costs above it is what the service adds.
 */
const sql = new SQL({ url: process.env.DATABASE_URL ?? "", max: 10 });
/** As the service's pool of lists is. */
const lists = new SQL({
  url: process.env.DATABASE_URL ?? "",
  max: 4,
  connection: { plan_cache_mode: "force_custom_plan" },
});
const hasher = createHasher(await loadEngine(), {
  concurrency: 1,
  queue: 1000,
  onFull: () => new Error("full"),
  onManyOfOne: () => new Error("full"),
});

const handlers: Record<string, (request: Request) => Promise<Response>> = {
  async "/profile"(request) {
    return Response.json((await sql.unsafe(accounts.findUser.text, [request.headers.get("x-user")]))[0]);
  },

  async "/members"(request) {
    const filters = filtersOf(request);
    const page = { sort: "lastName", descending: false, limit: 20, offset: "0" };
    const list = (query: { text: string; parameters: readonly string[] }, values: Record<string, unknown>) =>
      lists.unsafe(query.text, inOrder(query, values));
    const rows = async () => {
      const found = await list(members.listMembers, { ...filters, ...page });
      const shown = { memberships: found.map(({ id }: { id: string }) => id), units: filters.units };
      return [
        found,
        ...(await Promise.all([
          list(memberships.listAssignments, shown),
          list(members.listLinkedUnits, shown),
        ])),
      ];
    };
    return Response.json(await Promise.all([rows(), list(members.countMembers, filters)]));
  },

  async "/todos"(request) {
    const filters = (await request.json()) as Record<string, unknown>;
    const page = { ...filters, sort: "createdAt", descending: true, limit: 20, offset: "0" };
    return Response.json(
      await Promise.all([
        lists.unsafe(todos.listTodos.text, inOrder(todos.listTodos, page)),
        lists.unsafe(todos.countTodos.text, inOrder(todos.countTodos, filters)),
      ]),
    );
  },

  ...auditHandlers(lists),
  ...invitationHandlers(sql, process.env.DATABASE_URL ?? ""),

  async "/units"(request) {
    return Response.json(
      await lists.unsafe(units.listTree.text, inOrder(units.listTree, filtersOf(request))),
    );
  },

  async "/refresh"(request) {
    const hash = tokenHash(request.headers.get("cookie")?.slice("refresh_token=".length) ?? "");
    const next = newToken();
    const session = await sql.begin(async (tx) => {
      const [owner] = await tx.unsafe(sessions.findTokenOwner.text, [hash]);
      await tx.unsafe(locks.lockUser.text, [owner.user_id]);
      const [row] = await tx.unsafe(sessions.findRefreshToken.text, [hash]);
      const home = { userId: owner.user_id, preferredId: null };
      await tx.unsafe(
        access.listActiveOrganizationGrants.text,
        inOrder(access.listActiveOrganizationGrants, home),
      );
      await tx.unsafe(
        sessions.rotateRefreshToken.text,
        inOrder(sessions.rotateRefreshToken, {
          id: row.id,
          tokenHash: tokenHash(next),
          organizationId: null,
          lifetimeDays: 7,
          ip: null,
          userAgent: null,
        }),
      );
      return row;
    });
    return Response.json(
      { accessToken: session.session_id },
      { headers: { "set-cookie": `refresh_token=${next}; Path=/` } },
    );
  },

  async "/login"(request) {
    const { email, password } = (await request.json()) as { email: string; password: string };
    const [found] = await sql.unsafe(accounts.findUserByEmail.text, [email]);
    await hasher.verify(found.password_hash, password);
    const next = newToken();
    const session = await sql.begin(async (tx) => {
      await tx.unsafe(locks.lockUser.text, [found.id]);
      const [user] = await tx.unsafe(accounts.findUserByEmail.text, [email]);
      const home = { userId: user.id, preferredId: null };
      await tx.unsafe(
        access.listActiveOrganizationGrants.text,
        inOrder(access.listActiveOrganizationGrants, home),
      );
      const [row] = await tx.unsafe(
        sessions.insertSession.text,
        inOrder(sessions.insertSession, {
          userId: user.id,
          tokenHash: tokenHash(next),
          organizationId: null,
          lifetimeDays: 7,
          ip: null,
          userAgent: null,
        }),
      );
      await tx.unsafe(
        sessions.deleteExcessSessions.text,
        inOrder(sessions.deleteExcessSessions, { userId: user.id, max: 10 }),
      );
      await tx.savepoint((inner) =>
        inner.unsafe(
          audit.insertAuditEvent.text,
          inOrder(audit.insertAuditEvent, {
            action: "LOGIN_SUCCEEDED",
            actorId: user.id,
            targetType: "user",
            targetId: user.id,
            metadata: {},
            subjectUserId: user.id,
            subjectUnitIds: [],
            isAboveUnits: false,
          }),
        ),
      );
      return row;
    });
    return Response.json(
      { accessToken: session.session_id },
      { headers: { "set-cookie": `refresh_token=${next}; Path=/` } },
    );
  },
};

/** What a list is asked for, in a header. */
const filtersOf = (request: Request) => JSON.parse(request.headers.get("x-filters") ?? "{}");

/** The values of a query in the order of its placeholders. */
function inOrder(query: { parameters: readonly string[] }, values: Record<string, unknown>): unknown[] {
  return query.parameters.map((name) => values[name]);
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) =>
    handlers[new URL(request.url).pathname]?.(request) ?? new Response(null, { status: 404 }),
});
console.log(JSON.stringify({ url: server.url.href }));
