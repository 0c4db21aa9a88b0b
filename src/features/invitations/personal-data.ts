import { afterCreated, FROM_OLDEST, jsonOfPages, type PersonalFile } from "#kit";
import { fromStored, organizationOf } from "#kit/inside";
import * as queries from "#sql/invitations";

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  invitations: {
    text: "open invitations",
    read: (db, { email }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: (window) => queries.exportInvitations.run({ email, ...window }, db),
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
  },
} satisfies Record<string, PersonalFile>;
