import type { PlantedFault } from "../planted-faults.ts";
import { only } from "./fuzz-command.ts";

/**
 * The beginning of the generated statement that counts todos. The planted fault removes the condition that follows
 * it.
 */
const COUNT_OF_TODOS =
  'SELECT count(*)::int AS \\"total!\\"\\n' +
  "FROM todos t\\n" +
  "WHERE NOT t.is_deleted\\n" +
  "  AND (:organizationId::uuid IS NULL OR t.organization_id = :organizationId\\n" +
  "    AND EXISTS (SELECT FROM organizations o WHERE o.id = :organizationId AND NOT o.is_deleted))\\n" +
  "  AND (:organizationId IS NOT NULL OR EXISTS (\\n" +
  "    SELECT FROM organizations o WHERE o.id = t.organization_id";

/**
 * Planted faults that disclose users' records within their own organization, and faults of long lists and of lists with two
 * filters; `bun run proof fuzz` must find them.
 */
export const PEOPLE_IN_ORGANIZATION_FAULTS: PlantedFault[] = [
  {
    name: "fuzz: the unit condition of members is lost if `member` and `search` are both given",
    command: only("listMembers"),
    edits: [
      [
        "src/features/members/read.ts",
        "const filters = { search, members: member, hasTwoFactor, units };",
        "const filters = { search, members: member, hasTwoFactor, units: search && member ? null : units };",
      ],
    ],
    expected: /^(list|reach): .*/,
  },
  {
    name: "fuzz: a total over all organizations counts todos of deleted ones",
    command: only("listAllTodos", "deleteOrganization", "createTodo"),
    edits: [
      [
        "sql/todos.queries.ts",
        `${COUNT_OF_TODOS} AND NOT o.is_deleted))`,
        `${COUNT_OF_TODOS}                     ))`,
      ],
    ],
    expected: /^list: .*/,
  },
  {
    name: "fuzz: the archive of personal data has the acts of others",
    command: only("exportProfile"),
    edits: [
      [
        "sql/personal-data.queries.ts",
        "WHERE actor_id = :userId AND (time",
        "WHERE target_id =:userId AND (time",
      ],
    ],
    expected: /^leak: .*/,
  },
  {
    name: "fuzz: the roles of a member who left are not trimmed to the reader's units",
    command: only("listOrganizationAuditEvents", "exportOrganizationAuditEvents"),
    edits: [["src/features/audit/present.ts", '  MEMBER_LEFT: ["roles"],\n', ""]],
    expected: /^reach: .*/,
  },
  {
    name: "fuzz: former staff are notified of a reporter's reply",
    command: only("replyToOwnTicket"),
    edits: [
      [
        "sql/helpdesk/staff.queries.ts",
        "WHERE m.id = holding.membership_id AND NOT m.is_deleted OFFSET 0",
        "WHERE m.id = holding.membership_id                      OFFSET 0",
      ],
    ],
    expected: /^recipient: .*/,
  },
];
