/** A fault, the command that must find it, and how its output names it. */
export type PlantedFault = {
  name: string;
  command: string[];
  edits: [file: string, before: string, after: string][];
  expected: RegExp;
};

const fuzz = ["test/fuzz/api/run.ts", "--seed", "1", "--requests", "40000", "--findings", "1"];

export const PLANTED: PlantedFault[] = [
  {
    name: "fuzz: NUL reaches the database",
    command: fuzz,
    edits: [
      [
        "src/core/api/known-parts.ts",
        'value.isWellFormed() && !value.includes("\\0")',
        "value.isWellFormed()",
      ],
    ],
    expected: /^server error: .*/,
  },
  {
    name: "fuzz: an error that the document does not list",
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
        "return showTodo(tx, [organizationId], created.id);",
        "return { ...(await showTodo(tx, [organizationId], created.id)), userId };",
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
    expected: /^(changed|leak): .*/,
  },
  {
    name: "fuzz: who may read a todo may delete it",
    command: fuzz,
    edits: [
      ["src/features/todos/service.ts", 'any: "Todos.DeleteAny"', 'any: "Todos.ReadAny"'],
      [
        "src/features/todos/routes.ts",
        'access: { permission: "Todos.Delete"',
        'access: { permission: "Todos.Read"',
      ],
    ],
    expected: /^changed: .*/,
  },
];
