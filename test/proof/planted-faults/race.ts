import type { PlantedFault } from "../planted-faults.ts";

/** Returns the command that races one pair of writes for 200 rounds. */
export const race = (pair: string) => [
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

/** Planted faults that `bun run proof race` must find when it races one pair of writes. */
export const RACE_FAULTS: PlantedFault[] = [
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
    expected: /^Finding .*/,
  },
  {
    name: "race: the last place of a plan is given away twice",
    command: race("create todo / create another todo"),
    edits: [["src/core/plans/limits.ts", "lockOrganization(tx, organizationId),", "Promise.resolve(),"]],
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
  await lockUsers(tx, [userId]);`,
        `await lockUsers(tx, [userId]);
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
        `userId === null
      ? lockOrganizationOfInvitation(tx, ofInvitation.tokenHash)
      : lockForAcceptance(tx, ofInvitation.tokenHash, userId),`,
        "Promise.resolve(true),",
      ],
      [
        "sql/invitations.queries.ts",
        ":tokenHash! AND accepted_at IS NULL AND NOT is_deleted AND expires_at > now()\\n  RETURNING id\\n)\\nSELECT raise_serialization_failure()",
        ":tokenHash!\\n  RETURNING id\\n)\\nSELECT raise_serialization_failure()",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a recovery code is used twice, without its lock and by a condition that was read before",
    command: race("second factor / second factor, same code"),
    edits: [
      ["src/features/two-factor/verify.ts", "    await lockForSignIn(tx, userId, cookie);\n", ""],
      [
        "sql/two-factor.queries.ts",
        'code_hash = :codeHash! AND used_at IS NULL\\nRETURNING user_id"}',
        'code_hash = :codeHash! AND EXISTS (SELECT FROM two_factor_recovery_codes o WHERE o.user_id = $1 AND o.code_hash = $2 AND o.used_at IS NULL)\\nRETURNING user_id"}',
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a write succeeds although a concurrent one made the same change",
    command: race("delete todo / delete todo"),
    edits: [
      [
        "src/features/todos/service.ts",
        "await queries.deleteTodo.run({ id, organizationId }, tx.db);\n    if (deleted === undefined) throw notFound();",
        "await queries.deleteTodo.run({ id, organizationId }, tx.db);\n    void deleted;",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a seat is counted before the lock",
    command: race("invite into a unit / invite to a role"),
    edits: [
      [
        "src/features/invitations/invite.ts",
        "  const authorized = authorizeIn(tx",
        "  const seatsBefore = await countSeats(tx.db, organizationId);\n  const authorized = authorizeIn(tx",
      ],
      [
        "src/features/invitations/invite.ts",
        "assertBelow(seats.limit, max, await countSeats(tx.db, organizationId))",
        "assertBelow(seats.limit, max, seatsBefore)",
      ],
    ],
    expected: /^Finding .*/,
  },
];
