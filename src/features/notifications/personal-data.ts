import { afterCreated, FROM_OLDEST, jsonOfPages, type PersonalFile } from "#kit";
import * as queries from "#sql/notifications";

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  notifications: {
    text: "notifications",
    read: (db, { userId }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: (window) => queries.exportNotifications.run({ userId, ...window }, db),
        after: afterCreated,
        show: (rows) => rows,
      }),
  },
} satisfies Record<string, PersonalFile>;
