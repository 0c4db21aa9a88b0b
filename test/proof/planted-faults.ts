/** A planted fault, the command that must find it, and a pattern for the expected finding in the command's output. */
export type PlantedFault = {
  name: string;
  command: string[];
  edits: [file: string, before: string, after: string][];
  expected: RegExp;
};

/** The command that fuzzes until the first finding. */
const fuzz = [
  "test/proof/fuzz/api/run.ts",
  "--seed",
  "1",
  "--requests",
  "30000",
  "--findings",
  "1",
  "--shrink",
  "10",
];
/** The command that races one pair of writes for 200 rounds. */
const race = (pair: string) => [
  "test/proof/race/run.ts",
  "--seed",
  "1",
  "--rounds",
  "200",
  "--findings",
  "1",
  "--pair",
  pair,
];
/** The command that soaks for a minute, with all kinds of faults or only some. */
const soak = ["test/proof/soak/run.ts", "1", "--seed", "1", "--rate", "8"];
const soakWith = (kind: string) => [
  "test/proof/soak/run.ts",
  "1",
  "--faults",
  "8",
  "--seed",
  "61",
  "--only",
  kind,
];

/** Twenty faults, at least one of each kind of check of the three commands. */
export const PLANTED: PlantedFault[] = [
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
        `  width,
  height,
});`,
        `  width,
  height,
  storageKey: "images/1",
});`,
      ],
    ],
    expected: /^(leak|undocumented): .*/,
  },
  {
    name: "fuzz: a total that ignores a filter",
    command: fuzz,
    edits: [
      [
        "src/core/api/list.ts",
        "await count.run(values as never, db.lists)",
        "await count.run({ ...values, completed: null } as never, db.lists)",
      ],
    ],
    expected: /^list: .*/,
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
    name: "fuzz: a repeated request works again",
    command: [...fuzz, "--only", "createTodo"],
    edits: [
      [
        "src/core/idempotency/responses.ts",
        "if (earlier !== null) return earlier;",
        `if (earlier) await work(tx);
    if (earlier !== null) return earlier;`,
      ],
    ],
    expected: /^replayed: .*/,
  },
  {
    name: "fuzz: a stolen refresh token ends nothing",
    command: fuzz,
    edits: [
      [
        "src/features/sessions/refresh.ts",
        `  await endAllSessions(tx, row.userId);
`,
        `  void endAllSessions;
`,
      ],
    ],
    expected: /^session: .*/,
  },
  {
    name: "race: no lock of the organization, so that two administrators demote each other",
    command: race("demote second / demote founder"),
    edits: [
      [
        "src/core/locks.ts",
        "await locks.lockOrganization.run({ organizationId }, tx.effects);",
        "void organizationId;",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: the last place of a plan is given away twice",
    command: race("create todo / create another todo"),
    edits: [["src/core/plans/limits.ts", "  await lockOrganization(tx, organizationId);\n", ""]],
    expected: /^Finding .*/,
  },
  {
    name: "race: locks in the wrong order",
    command: race("remove founder / delete founder's account"),
    edits: [
      [
        "src/core/accounts/end-account.ts",
        `await lockOrganizations(
    tx,
    before.map(({ organizationId }) => organizationId),
  );
  await lockEmails(tx, emails);
  await lockUsers(tx, [userId]);`,
        `await lockUsers(tx, [userId]);
  await lockEmails(tx, emails);
  await lockOrganizations(
    tx,
    before.map(({ organizationId }) => organizationId),
  );`,
      ],
    ],
    expected: /^Finding .*|[1-9]\d* deadlocks/,
  },
  {
    name: "race: an invitation is accepted without its lock, and without a condition",
    command: race("revoke / accept"),
    edits: [
      [
        "src/features/invitations/accept.ts",
        `  if (userId === null) await lockOrganizationOfInvitation(tx, ofInvitation.tokenHash);
  else await lockForAcceptance(tx, ofInvitation.tokenHash, userId);
`,
        "",
      ],
      [
        "sql/invitations.queries.ts",
        ":tokenHash! AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()\\nRETURNING id",
        ":tokenHash!\\nRETURNING id",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a recovery code is used twice, without its lock and by a condition that was read before",
    command: race("second factor / second factor, same code"),
    edits: [
      [
        "src/features/two-factor/verify.ts",
        `    await lockForSignIn(tx, userId, cookie);
`,
        "",
      ],
      [
        "sql/two-factor.queries.ts",
        'code_hash = :codeHash! AND used_at IS NULL\\nRETURNING user_id"}',
        'code_hash = :codeHash! AND EXISTS (SELECT FROM two_factor_recovery_codes o WHERE o.user_id = $1 AND o.code_hash = $2 AND o.used_at IS NULL)\\nRETURNING user_id"}',
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a field is written with a value that was read before the lock",
    command: race("change todo / rename todo"),
    edits: [
      [
        "src/features/todos/service.ts",
        "{ id, organizationId, title, completed }",
        "{ id, organizationId, title: title ?? found.title, completed: completed ?? found.completed }",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "soak: some audit events are lost",
    command: soak,
    edits: [
      [
        "src/features/units/write.ts",
        'await audit(tx, "UNIT_CREATED", { organizationId, target, metadata: { name, parentId } });',
        'if (Math.random() < 0.7) await audit(tx, "UNIT_CREATED", { organizationId, target, metadata: { name, parentId } });',
      ],
    ],
    expected: /^Violated: .*units without exactly one event/,
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
    expected: /^Violated: .*(invitations, but|mails)/,
  },
  {
    name: "soak: a todo is written twice",
    command: soak,
    edits: [
      [
        "src/features/todos/service.ts",
        "const [created] = await queries.insertTodo.run({ organizationId, userId: actor.userId, title }, tx.db);",
        `if (Math.random() < 0.2) await queries.insertTodo.run({ organizationId, userId: actor.userId, title }, tx.db);
    const [created] = await queries.insertTodo.run({ organizationId, userId: actor.userId, title }, tx.db);`,
      ],
    ],
    expected: /^Violated: doubled todo/,
  },
  {
    name: "soak: files stay open",
    command: soak,
    edits: [
      [
        "src/core/api/guard.ts",
        `  if (claims === null) throw unauthenticated();
  const { sub`,
        `  if (claims === null) throw unauthenticated();
  require("node:fs").openSync("/dev/null");
  const { sub`,
      ],
    ],
    expected: /^Violated: .*open files/,
  },
  {
    name: "soak: a replica is read although it is behind",
    command: soakWith("repl"),
    edits: [
      [
        "src/platform/db/replica.ts",
        "await within(MAX_BEHIND_MS, catchUp);",
        "await within(MAX_BEHIND_MS, async () => void (await replayed()));",
      ],
    ],
    expected: /^Violated: a todo was created with 201, and the next list/,
  },
  {
    name: "soak: an event is acknowledged before it is applied",
    command: soakWith("payments"),
    edits: [
      [
        "src/features/billing/update-copy.ts",
        `  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known]`,
        `  if (eventId !== null) {
    const [isNew] = await subscriptions.insertPaymentEvent.run({ id: eventId }, call.db.writes);
    if (isNew === undefined) return "repeated";
  }
  for (let look = 1; look <= MAX_ATTEMPTS; look += 1) {
    const [known]`,
      ],
      [
        "src/features/billing/update-copy.ts",
        `  if (eventId !== null) {
    const [isNew] = await subscriptions.insertPaymentEvent.run({ id: eventId }, tx.db);
    if (isNew === undefined) return "repeated";
  }
  await subscriptions.update`,
        "  await subscriptions.update",
      ],
    ],
    expected: /^Violated: the copy of/,
  },
];
