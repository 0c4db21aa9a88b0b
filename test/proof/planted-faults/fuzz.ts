import type { PlantedFault } from "../planted-faults.ts";

const fuzz = [
  ...["test/proof/fuzz/api/run.ts", "--seed", "1", "--requests", "20000"],
  ...["--findings", "1", "--shrink", "10"],
];

/** Planted faults that `bun run proof fuzz` must find. */
export const FUZZ_FAULTS: PlantedFault[] = [
  {
    name: "fuzz: NUL reaches the database",
    command: fuzz,
    edits: [
      [
        "src/core/definitions/known-parts.ts",
        'value.isWellFormed() && !value.includes("\\0")',
        "value.isWellFormed()",
      ],
    ],
    expected: /^server error: .*/,
  },
  {
    name: "fuzz: an error that the document does not declare",
    command: fuzz,
    edits: [["src/features/units/routes.ts", "unitForbidden, unitNotEmpty]", "unitForbidden]"]],
    expected: /^undocumented: .*/,
  },
  {
    name: "fuzz: a field that the schema does not have",
    command: fuzz,
    edits: [
      [
        "src/features/todos/service.ts",
        'await todoEvent(tx, "todo.created", object);\n  return presentTodo(object);',
        'await todoEvent(tx, "todo.created", object);\n  return object;',
      ],
    ],
    expected: /^undocumented: .*/,
  },
  {
    name: "fuzz: a list with another organization's units",
    command: fuzz,
    edits: [
      [
        "sql/units.queries.ts",
        "FROM units u WHERE u.organization_id = :organizationId! AND NOT u.is_deleted\\n) tree",
        "FROM units u WHERE u.organization_id = :organizationId! OR u.name LIKE 'Root%'\\n) tree",
      ],
    ],
    expected: /^leak: .*/,
  },
  {
    name: "fuzz: a unit is found by its id alone",
    command: fuzz,
    edits: [
      [
        "sql/units.queries.ts",
        'WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted"}',
        'WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted OR id = $1"}',
      ],
    ],
    expected: /^(access|changed|leak|written|deleted|existence): .*/,
  },
  {
    name: "fuzz: the permission to read a todo allows its deletion",
    command: fuzz,
    edits: [
      ["src/features/todos/service.ts", 'any: "Todos.DeleteAny"', 'any: "Todos.ReadAny"'],
      [
        "src/features/todos/routes.ts",
        'access: { permission: "Todos.Delete"',
        'access: { permission: "Todos.Read"',
      ],
    ],
    expected: /^(access|changed): .*/,
  },
  {
    name: "fuzz: a route requires the wrong permission",
    command: fuzz,
    edits: [
      [
        "src/features/billing/routes.ts",
        'access: { permission: "Billing.Read" }',
        'access: { permission: "Units.Read" }',
      ],
    ],
    expected: /^access: .*/,
  },
  {
    name: "fuzz: an internal field, also declared in the document",
    command: fuzz,
    edits: [
      ["src/features/helpdesk/schemas.ts", "height: z.int()", "storageKey: z.string(), height: z.int()"],
      [
        "src/features/helpdesk/present.ts",
        "  width,\n  height,\n});",
        '  width,\n  height,\n  storageKey: "images/1",\n});',
      ],
    ],
    expected: /^(leak|undocumented): .*/,
  },
  {
    name: "fuzz: a total that ignores a filter",
    command: fuzz,
    edits: [
      [
        "src/features/todos/service.ts",
        "queries.countTodos.run(filters, db.lists)",
        "queries.countTodos.run({ ...filters, completed: null }, db.lists)",
      ],
    ],
    expected: /^list: .*/,
  },
  {
    name: "fuzz: a session survives a change of the password",
    command: fuzz,
    edits: [
      [
        "src/features/profile/password.ts",
        "    await endOtherSessions(tx, { userId, sessionId: tx.actor.sessionId });\n",
        "",
      ],
    ],
    expected: /^session: .*/,
  },
];
