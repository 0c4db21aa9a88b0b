import { FROM_OLDEST, jsonOfPages, type PersonalFile } from "#kit";
import * as queries from "#sql/sso-connections";

/** The files of the feature in the export of an account's data. */
export const personalData = {
  "sso-identities": {
    text: "Your sign-ins through organizations: what their providers said of you.",
    read: (db, { userId }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: ({ limit, ...after }) =>
          queries.exportIdentities.run({ userId, ...after, max: String(limit) }, db),
        after: ({ id, linkedAt }) => ({ afterId: id, afterTime: linkedAt }),
        show: (rows) =>
          rows.map((row) => ({
            organization: { id: row.organizationId, name: row.organizationName },
            connection: { id: row.connectionId, name: row.connectionName },
            subject: row.subject,
            email: row.email,
            groups: row.groups,
            linkedAt: row.linkedAt.toISOString(),
            lastSignInAt: row.lastSignInAt.toISOString(),
          })),
      }),
  },
} as const satisfies Record<string, PersonalFile>;
