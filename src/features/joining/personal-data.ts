import { afterCreated, FROM_OLDEST, jsonOfPages, type PersonalFile } from "#kit";
import * as queries from "#sql/joining";

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  "join-requests": {
    text: "your requests to join organizations",
    read: (db, { userId }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: (window) => queries.exportJoinRequests.run({ userId, ...window }, db),
        after: afterCreated,
        show: (rows) => rows,
      }),
  },
} satisfies Record<string, PersonalFile>;
