import { FROM_OLDEST, jsonOfPages, type PersonalFile } from "#kit";
import * as queries from "#sql/oauth-grants";

/** The files of the feature in the export of an account's data. */
export const personalData = {
  "connected-apps": {
    text: "The apps that you connected, also those that ended in the last 90 days.",
    read: (db, { userId }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: ({ limit, ...after }) =>
          queries.exportConnectedApps.run({ userId, ...after, max: String(limit) }, db),
        after: ({ id, createdAt }) => ({ afterId: id, afterTime: createdAt }),
        show: (rows) =>
          rows.map((row) => ({
            id: row.id,
            client: { id: row.clientId, name: row.clientName, host: row.clientHost },
            resource: row.resource,
            organization: { id: row.organizationId, name: row.organizationName },
            unit: row.unitId === null ? null : { id: row.unitId, name: row.unitName },
            scopes: row.scopes,
            createdAt: row.createdAt.toISOString(),
            lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
            lastUsedIp: row.lastUsedIp,
            expiresAt: row.expiresAt.toISOString(),
            endedAt: row.endedAt?.toISOString() ?? null,
          })),
      }),
  },
} as const satisfies Record<string, PersonalFile>;
