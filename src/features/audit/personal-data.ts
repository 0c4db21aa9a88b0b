import { FROM_OLDEST, jsonOfPages, type PersonalFile } from "#kit";
import * as queries from "#sql/audit";

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  "audit-events": {
    text: "own audit events",
    read: (db, { userId }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: (window) => queries.exportOwnEvents.run({ userId, ...window }, db),
        after: ({ time: afterTime, id: afterId }) => ({ afterTime, afterId }),
        show: (rows) => rows,
      }),
  },
} satisfies Record<string, PersonalFile>;
