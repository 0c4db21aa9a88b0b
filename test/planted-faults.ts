/** A fault, the command that must find it, and how its output names it. */
export type PlantedFault = {
  name: string;
  command: string[];
  edits: [file: string, before: string, after: string][];
  expected: RegExp;
};

const fuzz = ["test/fuzz/api/run.ts", "--seed", "1", "--requests", "20000", "--findings", "1"];

const race = (pair: string) => [
  "test/race/run.ts",
  "--seed",
  "1",
  "--rounds",
  "200",
  "--findings",
  "1",
  "--pair",
  pair,
];

const soak = ["test/soak/run.ts", "1", "--seed", "1", "--rate", "8"];

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
  {
    name: "race: no lock of the organization, so that two administrators demote each other",
    command: race("demote second / demote founder"),
    edits: [
      [
        "src/core/locks.ts",
        "await locks.lockOrganization.run({ organizationId }, tx.db);",
        "void organizationId;",
      ],
    ],
    expected: /^Unexplained .*/,
  },
  {
    name: "race: the last place of a plan is given away twice",
    command: race("create todo / create another todo"),
    edits: [["src/core/plans/limits.ts", "lockOrganization(tx, organizationId),", "Promise.resolve(),"]],
    expected: /^Unexplained .*/,
  },
  {
    name: "race: locks in the wrong order",
    command: race("remove founder / delete founder's account"),
    edits: [
      [
        "src/core/people/end-account.ts",
        "for (const { organizationId } of before) await lockOrganization(tx, organizationId);\n  await lockUsers(tx, [userId]);",
        "await lockUsers(tx, [userId]);\n  for (const { organizationId } of before) await lockOrganization(tx, organizationId);",
      ],
    ],
    expected: /^Unexplained .*|[1-9]\d* deadlocks/,
  },
  {
    name: "soak: an audit event is lost now and then",
    command: soak,
    edits: [
      [
        "src/features/units/write.ts",
        'await audit(tx, "UNIT_CREATED", { organizationId, target, metadata: { name, parentId } });',
        'if (Math.random() < 0.7) await audit(tx, "UNIT_CREATED", { organizationId, target, metadata: { name, parentId } });',
      ],
    ],
    expected: /^Violated: .*units without just one event/,
  },
  {
    name: "soak: a mail is never sent",
    command: soak,
    edits: [
      [
        "src/platform/jobs/queue.ts",
        "await kind.run(host, {",
        "if (Math.random() < 0.8) await kind.run(host, {",
      ],
    ],
    expected: /^Violated: .*(invitations, and|mails)/,
  },
  {
    name: "soak: a todo is written twice",
    command: soak,
    edits: [
      [
        "src/features/todos/service.ts",
        "const [created] = await queries.insertTodo.run({ organizationId, userId, title }, tx.db);",
        "if (Math.random() < 0.2) await queries.insertTodo.run({ organizationId, userId, title }, tx.db);\n    const [created] = await queries.insertTodo.run({ organizationId, userId, title }, tx.db);",
      ],
    ],
    expected: /^Violated: doubled todo/,
  },
  {
    name: "soak: files stay open",
    command: soak,
    edits: [
      [
        "src/features/todos/service.ts",
        "    await assertStillPlatformAdmin(tx);\n    await assertWithinLimit",
        '    const { openSync } = await import("node:fs");\n    for (let left = 5; left > 0; left -= 1) openSync("/dev/null");\n    await assertStillPlatformAdmin(tx);\n    await assertWithinLimit',
      ],
    ],
    expected: /^Violated: .*open files/,
  },
];
