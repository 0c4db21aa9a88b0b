import * as queries from "#sql/personal-data";
import type { SignedInCall } from "../../core/context.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import type { ZipFile } from "../../platform/zip.ts";
import { type After, FROM_OLDEST, jsonOfPages, NO_ID } from "./pages.ts";

/**
 * The number of messages per page. It is small, because a message has up to 10,000 characters, and compressing a
 * page blocks the event loop.
 */
const MESSAGES_AT_ONCE = 20;

const organizationOf = (row: { organizationId: string; organizationName: string }) => ({
  id: row.organizationId,
  name: row.organizationName,
});

const afterCreated = ({ createdAt: afterTime, id: afterId }: { createdAt: Date; id: string }): After => ({
  afterTime,
  afterId,
});

/**
 * Returns the lists of the archive, one file per kind of record. They are read while the archive is sent. No file
 * contains more than its owner may read through other routes.
 */
export function listFiles(
  { db: { lists: db }, actor }: SignedInCall,
  account: { email: string; isPlatformAdmin: boolean },
) {
  const { userId } = actor;
  const files: Record<string, AsyncIterable<string>> = {
    memberships: memberships(db, userId),
    invitations: jsonOfPages({
      start: FROM_OLDEST,
      read: (window) => queries.listInvitations.run({ email: account.email, ...window }, db),
      after: afterCreated,
      show: (rows) =>
        rows.map((row) => ({
          id: row.id,
          organization: organizationOf(row),
          language: fromStored(row.language),
          createdAt: row.createdAt,
          lastSentAt: row.lastSentAt,
          expiresAt: row.expiresAt,
        })),
    }),
    notifications: jsonOfPages({
      start: FROM_OLDEST,
      read: (window) => queries.listNotifications.run({ userId, ...window }, db),
      after: afterCreated,
      show: (rows) => rows,
    }),
    "audit-events": jsonOfPages({
      start: FROM_OLDEST,
      read: (window) => queries.listEvents.run({ userId, ...window }, db),
      after: ({ time: afterTime, id: afterId }) => ({ afterTime, afterId }),
      show: (rows) => rows,
    }),
    tickets: jsonOfPages({
      start: FROM_OLDEST,
      read: (window) => queries.listTickets.run({ userId, ...window }, db),
      after: afterCreated,
      show: (rows) => rows,
    }),
    "ticket-messages": messages(db, userId),
    todos: jsonOfPages({
      start: { afterOrganizationId: NO_ID, ...FROM_OLDEST },
      read: (window) =>
        queries.listTodos.run({ userId, isPlatformAdmin: account.isPlatformAdmin, ...window }, db),
      after: (row) => ({ afterOrganizationId: row.organizationId, ...afterCreated(row) }),
      show: (rows) => rows,
    }),
  };
  return Object.entries(files).map(([name, text]): ZipFile => ({ name: `${name}.json`, text }));
}

/** Returns the user's live memberships, with roles and units. */
function memberships(db: Queryable, userId: string) {
  return jsonOfPages({
    start: FROM_OLDEST,
    read: (window) => queries.listMemberships.run({ userId, ...window }, db),
    after: ({ joinedAt: afterTime, id: afterId }) => ({ afterTime, afterId }),
    show: async (rows) => {
      const ids = { memberships: rows.map(({ id }) => id) };
      const [roles, units] = await Promise.all([
        queries.listRoles.run(ids, db),
        queries.listUnits.run(ids, db),
      ]);
      const rolesOf = Map.groupBy(roles, ({ membershipId }) => membershipId);
      const unitsOf = Map.groupBy(units, ({ membershipId }) => membershipId);
      return rows.map((row) => ({
        organization: { ...organizationOf(row), slug: row.organizationSlug },
        joinedAt: row.joinedAt,
        assignments: (rolesOf.get(row.id) ?? []).map(({ roleId, roleName, unitId, unitName }) => ({
          role: { id: roleId, name: roleName },
          unit: unitId === null ? null : { id: unitId, name: unitName },
        })),
        units: (unitsOf.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
      }));
    },
  });
}

/** Returns the messages of the user's tickets, with the metadata of their images. */
function messages(db: Queryable, userId: string) {
  return jsonOfPages({
    start: { afterTicketId: NO_ID, ...FROM_OLDEST },
    read: (window) => queries.listMessages.run({ userId, ...window }, db),
    after: (row) => ({ afterTicketId: row.ticketId, ...afterCreated(row) }),
    show: async (rows) => {
      const images = await queries.listAttachments.run({ messages: rows.map(({ id }) => id) }, db);
      const imagesOf = Map.groupBy(images, ({ messageId }) => messageId);
      return rows.map((row) => ({
        ...row,
        attachments: (imagesOf.get(row.id) ?? []).map(({ messageId: _, ...image }) => image),
      }));
    },
    rowsAtOnce: MESSAGES_AT_ONCE,
  });
}
