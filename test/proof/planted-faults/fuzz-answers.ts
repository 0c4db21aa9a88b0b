import type { PlantedFault } from "../planted-faults.ts";
import { fuzz, only } from "./fuzz-command.ts";

/** Planted faults in responses to members of an organization, which `bun run proof fuzz` must find. */
export const ANSWER_FAULTS: PlantedFault[] = [
  {
    name: "fuzz: a filter that the rows and the total ignore",
    command: fuzz,
    edits: [
      [
        "src/features/todos/service.ts",
        "const filters = { ...scope, ...organizationScope(organizations), search, completed };",
        "const filters = { ...scope, ...organizationScope(organizations), search, completed: null as typeof completed };",
      ],
    ],
    expected: /^list: .*/,
  },
  {
    name: "fuzz: a sort that is ignored",
    command: fuzz,
    edits: [
      [
        "src/features/members/read.ts",
        "...listQuery.pages({ ...scopedFilters, visible: reach.units, manageableUnits, sort }, db),",
        '...listQuery.pages({ ...scopedFilters, visible: reach.units, manageableUnits, sort: sort && "lastName" }, db),',
      ],
    ],
    expected: /^list: .*/,
  },
  {
    name: "fuzz: an export that ignores a filter",
    command: only("exportOrganizationAuditEvents", "createUnit", "updateUnit"),
    edits: [
      [
        "src/features/audit/export-access.ts",
        "await visibilityInOrganization(call, query)",
        "await visibilityInOrganization(call, { ...query, action: null })",
      ],
    ],
    expected: /^list: .*/,
  },
  {
    name: "fuzz: a search for a number leaves the organization",
    command: only("listOrganizationTickets", "listTickets"),
    edits: [
      [
        "src/features/helpdesk/read.ts",
        "organizationScope([one, organization ?? null, named].reduce(intersection, null));",
        "organizationScope(\n    numberIn(search) === null ? [one, organization ?? null, named].reduce(intersection, null) : null,\n  );",
      ],
    ],
    expected: /^(list|leak): .*/,
  },
  {
    name: "fuzz: a number that the database cannot hold",
    command: only("listOwnTickets", "listOrganizationTickets"),
    edits: [["src/features/helpdesk/read.ts", "/^#(\\d{1,9})$/", "/^#(\\d+)$/"]],
    expected: /^server error: .*/,
  },
  {
    name: "fuzz: a constraint of the database that the schema lacks",
    command: only("updateOrganization", "updatePlatformOrganization"),
    edits: [
      [
        "src/features/organizations/schemas.ts",
        ".regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)",
        ".regex(/^[a-z0-9-]+$/)",
      ],
    ],
    expected: /^server error: .*/,
  },
  {
    name: "fuzz: a list with deleted roles",
    command: fuzz,
    edits: [
      [
        "sql/roles.queries.ts",
        '"SELECT id, organization_id, name, description, permissions, created_at\\nFROM roles\\nWHERE (organization_id = :organizationId! OR organization_id IS NULL) AND',
        '"SELECT id, organization_id, name, description, permissions, created_at\\nFROM roles\\nWHERE  organization_id = :organizationId! OR organization_id IS NULL  AND',
      ],
    ],
    expected: /^(leak|deleted|list): .*/,
  },
  {
    name: "fuzz: a deleted todo can still be read",
    command: fuzz,
    edits: [
      [
        "sql/todos.queries.ts",
        "WHERE t.id = :id! AND NOT t.is_deleted",
        "WHERE t.id = :id! AND true            ",
      ],
    ],
    expected: /^(leak|deleted): .*/,
  },
  {
    name: "fuzz: reporters read the notes of staff",
    command: fuzz,
    edits: [
      [
        "src/features/helpdesk/viewer.ts",
        "sees: { viewerId: userId, seesPlatformNotes: false, seesOrganizationNotes: false, noteUnits: OWN },",
        "sees: { viewerId: userId, seesPlatformNotes: false, seesOrganizationNotes: true, noteUnits: OWN },",
      ],
    ],
    expected: /^leak: .*/,
  },
  {
    name: "fuzz: an export of personal data with the notes of staff",
    command: only("exportProfile"),
    edits: [["sql/personal-data.queries.ts", "AND NOT m.internal", "                  "]],
    expected: /^leak: .*/,
  },
  {
    name: "fuzz: an unread count that includes read notifications",
    command: only("countUnreadNotifications", "readNotification", "readAllNotifications"),
    edits: [
      [
        "sql/notifications.queries.ts",
        "FROM counted_rows\\nWHERE list = 'unread_notifications' AND owner = :userId!",
        "FROM counted_rows\\nWHERE list = 'notifications'        AND owner = :userId!",
      ],
    ],
    expected: /^list: .*/,
  },
  {
    name: "fuzz: a sent field that is not written",
    command: fuzz,
    edits: [
      ["src/features/todos/service.ts", "completed: completed ?? null };", "completed: completed || null };"],
    ],
    expected: /^written: .*/,
  },
  {
    name: "fuzz: a field that is not written if another one is sent",
    command: only("updateUnit"),
    edits: [
      [
        "src/features/units/write.ts",
        "      await queries.updateUnit.run({ id, organizationId, name, parentId }, tx.db);",
        "      await queries.updateUnit.run({ id, organizationId, name: moves ? unit.name : name, parentId }, tx.db);",
      ],
    ],
    expected: /^written: .*/,
  },
  {
    name: "fuzz: a request id that is not validated",
    command: fuzz,
    edits: [
      [
        "src/platform/http/headers.ts",
        "return sent !== null && REQUEST_ID.test(sent) ? sent",
        'return sent !== null && (sent !== "" || REQUEST_ID.test(sent)) ? sent',
      ],
    ],
    expected: /^header: .*/,
  },
  {
    name: "fuzz: a repeated request returns the stored response without its body",
    command: only("createTodo"),
    edits: [
      [
        "src/core/idempotency/answers.ts",
        "return { status, body: fromStored(tx, body, key), isReplayed: true }",
        "return { status, body: null, isReplayed: true }",
      ],
    ],
    expected: /^replayed: .*/,
  },
  {
    name: "fuzz: a repeated request works again",
    command: only("createTodo"),
    edits: [
      [
        "src/core/idempotency/answers.ts",
        "if (earlier !== null) return earlier;",
        "if (earlier) await work(tx);\n    if (earlier !== null) return earlier;",
      ],
    ],
    expected: /^replayed: .*/,
  },
];
