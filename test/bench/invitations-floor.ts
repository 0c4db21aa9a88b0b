import type { SQL, TransactionSQL } from "bun";
import * as access from "#sql/access";
import * as audit from "#sql/effects";
import * as notifications from "#sql/effects";
import * as invitations from "#sql/invitations";
import * as locks from "#sql/locks";
import * as organizations from "#sql/organizations";
import * as accounts from "#sql/people/accounts";
import * as members from "#sql/people/memberships";
import * as roles from "#sql/roles";
import { MEMBER } from "../../src/core/access/catalog.ts";
import { MAIL_QUEUE } from "../../src/core/effects/mail.ts";
import { newToken, tokenHash } from "../../src/platform/crypto.ts";
import { startJobs } from "../../src/platform/jobs/queue.ts";
import { createLogger } from "../../src/platform/log.ts";

type Query = { text: string; parameters: readonly string[] };
type Asked = { organizationId: string; adminId: string; email: string; token: string; userId: string };
type Handler = (request: Request) => Promise<Response>;

/** The statements of inviting and accepting, in their order, and nothing else. */
export function invitationHandlers(sql: SQL, url: string): Record<string, Handler> {
  const log = createLogger("fatal", { write: () => {}, flush: async () => {} });
  const key = "bench-bench-bench-bench-bench-bench-bench";
  const jobs = startJobs({ url, key, log, kinds: [] }, () => {
    throw new Error("No job is done here");
  });
  const inTransaction = <T>(work: (run: Run, tx: TransactionSQL) => Promise<T>) =>
    sql.begin((tx) => work((query, values) => tx.unsafe(query.text, inOrder(query, values)), tx));

  return {
    async "/invite"(request) {
      const { organizationId, adminId, email } = (await request.json()) as Asked;
      const token = newToken();
      await sql.unsafe(access.findLiveOrganization.text, [organizationId]);
      const shown = await inTransaction(async (run, tx) => {
        await run(locks.lockOrganization, { organizationId });
        await run(access.findPlatformAdmin, { id: adminId });
        await run(access.findLiveOrganization, { id: organizationId });
        await run(roles.listRolesByIds, { organizationId, ids: [MEMBER.id] });
        const [{ name }] = await run(organizations.findOrganization, { id: organizationId });
        await run(members.findLiveMemberByEmail, { organizationId, email });
        await run(invitations.findPendingByEmail, { organizationId, email });
        const [{ "id!": id }] = await run(invitations.prepareInvitation, {
          inviterId: adminId,
          lifetimeDays: 7,
        });
        await run(invitations.insertInvitation, {
          id,
          organizationId,
          email,
          language: "EN",
          tokenHash: tokenHash(token),
          lifetimeDays: 7,
          inviterId: adminId,
          roleIds: [MEMBER.id],
          unitIds: [null],
        });
        await run(accounts.findUser, { id: adminId });
        const db = { query: (text: string, values: unknown[]) => tx.unsafe(text, values) };
        const data = { token, organizationName: name };
        await jobs.send(db, MAIL_QUEUE, { kind: "invitation", to: email, language: "en", data });
        await run(
          audit.insertAuditEvent,
          event("USER_INVITED", { organizationId, actorId: adminId, targetId: id }),
        );
        const [row] = await run(invitations.findInvitation, { id, organizationId, units: null });
        return [row, await run(invitations.listInvitedRoles, { invitations: [id] })];
      });
      return Response.json(shown, { status: 201 });
    },

    async "/accept"(request) {
      const { organizationId, token, userId } = (await request.json()) as Asked;
      const hashed = { tokenHash: tokenHash(token) };
      await sql.unsafe(invitations.findInvitationByToken.text, [null, hashed.tokenHash]);
      await inTransaction(async (run) => {
        await run(locks.lockOrganization, { organizationId });
        // Named as the statement names them, with the marks for pgtyped.
        const [{ "id!": id, "invited_by_id!": inviterId }] = await run(
          invitations.findInvitationByToken,
          hashed,
        );
        await run(locks.lockUser, { userId });
        await run(accounts.findUser, { id: userId });
        await run(invitations.listInvitedRoles, { invitations: [id] });
        await run(members.insertMembership, {
          organizationId,
          userId,
          roleIds: [MEMBER.id],
          unitIds: [null],
        });
        await run(invitations.markInvitationAccepted, { ...hashed, userId });
        await run(invitations.listInvitedUnits, { id });
        await run(
          audit.insertAuditEvent,
          event("USER_INVITATION_ACCEPTED", { organizationId, actorId: userId, targetId: userId }),
        );
        await run(notifications.insertNotifications, {
          userIds: [inviterId],
          type: "INVITATION_ACCEPTED",
          data: { userId, organizationId },
          mostLines: 100,
        });
      });
      return new Response(null, { status: 204 });
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: rows as the bare client gives them
type Run = (query: Query, values: Record<string, unknown>) => Promise<any[]>;

const inOrder = (query: Query, values: Record<string, unknown>) =>
  query.parameters.map((name) => values[name]);

const event = (action: string, more: Record<string, string>) => ({
  action,
  targetType: "user",
  metadata: {},
  subjectUnitIds: [],
  isAboveUnits: false,
  ...more,
});
