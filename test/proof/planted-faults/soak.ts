import type { PlantedFault } from "../planted-faults.ts";

/** An edit that lets a statement inside a transaction run on another connection, which the types otherwise prevent. */
export const OUTER_DATABASE: [file: string, from: string, to: string] = [
  "src/platform/db/transaction.ts",
  "{ ...call, db, afterCommit }",
  "{ ...call, db, afterCommit, outer: call.db }",
];

const soak = ["test/proof/soak/run.ts", "1", "--seed", "1", "--rate", "8"];

/**
 * Returns the command for a soak run of one minute, with this seed and the injected faults whose names contain these
 * words.
 */
export const soakOf = (seed: number, only: string): string[] => {
  const size = ["1", "--faults", "8", "--seed", String(seed)];
  return ["test/proof/soak/run.ts", ...size, "--only", only];
};

/** Planted faults that `bun run proof soak` must find within a minute. */
export const SOAK_FAULTS: PlantedFault[] = [
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
        "src/core/api/guard.ts",
        "  if (claims === null) throw unauthenticated();\n  const { sub",
        '  if (claims === null) throw unauthenticated();\n  require("node:fs").openSync("/dev/null");\n  const { sub',
      ],
    ],
    expected: /^Violated: .*open files/,
  },
  {
    name: "soak: an object is left in the storage",
    command: soak,
    edits: [
      [
        "src/features/helpdesk/uploads.ts",
        "  const stored = await db.excludeFromDeadline(() =>\n",
        `  for (const { storageKey, image } of reservation.images)
    await storage.put(storageKey + "-small", image.bytes, image.contentType);
  const stored = await db.excludeFromDeadline(() =>\n`,
      ],
    ],
    expected: /^Violated: an object without a row/,
  },
  {
    name: "soak: a notification without its event",
    command: soak,
    edits: [
      [
        "src/features/members/change-roles.ts",
        'await audit(tx, "MEMBER_ROLES_CHANGED"',
        'if (Math.random() < 0.5) await audit(tx, "MEMBER_ROLES_CHANGED"',
      ],
    ],
    expected: /^Violated: .*changes of roles/,
  },
  {
    name: "soak: memberships keep an outdated last name",
    command: soak,
    edits: [
      [
        "migrations/0005_members.sql",
        "CREATE TRIGGER users_pass_names_on AFTER UPDATE OF first_name, last_name, email",
        "CREATE TRIGGER users_pass_names_on AFTER UPDATE OF email",
      ],
    ],
    expected: /^Violated: .*outdated name/,
  },
  {
    name: "soak: sign-ins at once exceed the cap of sessions",
    command: soak,
    edits: [
      [
        "src/features/sessions/login.ts",
        "    await lockForSignIn(tx, found.id, cookie);\n",
        "    void lockForSignIn;\n",
      ],
    ],
    expected: /^Violated: .*sessions of one person/,
  },
  {
    name: "soak: helpdesk mails are queued on another connection",
    command: soak,
    edits: [
      [
        "src/core/effects/mail.ts",
        "await tx.app.jobs.send(tx.db.pipelined, MAIL_QUEUE",
        'await tx.app.jobs.send(order.kind.startsWith("helpdesk") ? (tx as unknown as { outer: { writes: never } }).outer.writes : tx.db.pipelined, MAIL_QUEUE',
      ],
      OUTER_DATABASE,
    ],
    expected: /^Violated: .*mails of tickets without exactly one job/,
  },
];
