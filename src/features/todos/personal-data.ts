import { afterCreated, FROM_OLDEST, jsonOfPages, NO_ID, type PersonalFile } from "#kit";
import * as queries from "#sql/todos";

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  todos: {
    text: "todos",
    read: (db, { userId, isPlatformAdmin }) =>
      jsonOfPages({
        start: { afterOrganizationId: NO_ID, ...FROM_OLDEST },
        read: (window) => queries.exportTodos.run({ userId, isPlatformAdmin, ...window }, db),
        after: (row) => ({ afterOrganizationId: row.organizationId, ...afterCreated(row) }),
        show: (rows) => rows,
      }),
  },
} satisfies Record<string, PersonalFile>;
