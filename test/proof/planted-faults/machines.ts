import type { PlantedFault } from "../planted-faults.ts";

/** Returns the command that runs the only test of a file whose name contains the text. */
const only = (file: string, text: string) => ["test", `test/${file}.test.ts`, "-t", text];
const failed = /^\(fail\) /;
const inMachineRaces = (text: string) => only("features/service-accounts/races", text);
const inKeyRaces = (text: string) => only("core/idempotency/races", text);

const KEYS = "src/features/service-accounts/keys.ts";
const ANSWERS = "src/core/idempotency/answers.ts";
const AUTHORIZE = "src/core/authorize/authorize.ts";
const ACTIVE = '  if (old.status !== "ACTIVE") throw conflict();\n';
const REPLACED = "AND revoked_at IS NULL AND replaced_by_id IS NULL AND (expires_at";

/** Planted faults in the lines that decide races between service accounts and API keys. Tests must find them. */
const MACHINE_FAULTS: PlantedFault[] = [
  {
    name: "test: announcements of changes do not end cached API keys",
    command: inMachineRaces("a revoked API key is 401 at once"),
    edits: [
      [
        "src/core/access/api-keys.ts",
        "    this.announced.set(id, now);\n",
        "    this.announced.set(id, now - LIFETIME_MS);\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: an API key that is revoked while it is loaded is cached",
    command: inMachineRaces("if an API key is revoked while an instance loads it"),
    edits: [
      ["src/core/access/api-keys.ts", "      readAt,\n    };", "      readAt: readAt + 5_000,\n    };"],
    ],
    expected: failed,
  },
  {
    name: "test: an API key is rotated twice",
    command: inMachineRaces("of two rotations of one API key"),
    edits: [
      [KEYS, ACTIVE, ""],
      ["sql/service-accounts.queries.ts", REPLACED, "AND revoked_at IS NULL AND (expires_at"],
    ],
    expected: failed,
  },
  {
    name: "test: a revoked API key is rotated",
    command: inMachineRaces("a revoked API key cannot be rotated"),
    edits: [
      [KEYS, ACTIVE, ""],
      ["sql/service-accounts.queries.ts", REPLACED, "AND replaced_by_id IS NULL AND (expires_at"],
    ],
    expected: failed,
  },
  {
    name: "test: a key is created for a service account that was found before the lock",
    command: inMachineRaces("an API key that is created while its service account is deleted"),
    edits: [
      [
        KEYS,
        "  const permissions = await authorize(tx, CREATE);\n  const reach = await permissions.reach(CREATE, tx.db);\n  await findServiceAccount(tx, reach, serviceAccountId, tx.db);\n",
        "  const reach = await tx.permissions.reach(CREATE, tx.db);\n  await findServiceAccount(tx, reach, serviceAccountId, tx.db);\n  const permissions = await authorize(tx, CREATE);\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: the keys of a service account are counted before the lock",
    command: inMachineRaces("of two requests for a service account's tenth API key"),
    edits: [
      [
        KEYS,
        "  const unitIds = await authorizeKeys(tx, serviceAccountId);\n  const place = { serviceAccountId, organizationId };\n  if (exactlyOne(await queries.countActiveApiKeys.run(place, tx.db)).count >= MAX_ACTIVE_KEYS)\n",
        "  const place = { serviceAccountId, organizationId };\n  const { count } = exactlyOne(await queries.countActiveApiKeys.run(place, tx.db));\n  const unitIds = await authorizeKeys(tx, serviceAccountId);\n  if (count >= MAX_ACTIVE_KEYS)\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: service accounts are counted before the lock",
    command: inMachineRaces("of two requests for the last service account"),
    edits: [
      [
        "src/features/service-accounts/accounts.ts",
        '  const permissions = await authorize(tx, "ServiceAccounts.Create");\n',
        '  const before = await countServiceAccounts(tx.db, organizationId);\n  const countServiceAccountsBefore = async () => before;\n  const permissions = await authorize(tx, "ServiceAccounts.Create");\n',
      ],
      [
        "src/features/service-accounts/accounts.ts",
        "count: countServiceAccounts, caller: actor",
        "count: countServiceAccountsBefore, caller: actor",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a role of a service account is deleted",
    command: inMachineRaces("if a role or unit is deleted while it is assigned to a service account"),
    edits: [["sql/roles.queries.ts", "service_account_assignments", "membership_assignments     "]],
    expected: failed,
  },
  {
    name: "test: a unit of a service account is deleted",
    command: inMachineRaces("if a role or unit is deleted while it is assigned to a service account"),
    edits: [["sql/units.queries.ts", "service_account_assignments", "membership_assignments     "]],
    expected: failed,
  },
  {
    name: "test: a demoted member creates a key by the permissions of the access token",
    command: inMachineRaces("a caller who is demoted while they create an API key"),
    edits: [
      [
        AUTHORIZE,
        "new ConfirmedPermissions(then === null ? [now] : [then, now])",
        "new ConfirmedPermissions([then ?? now])",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a dead API key changes authority",
    command: inMachineRaces("a write that grants permissions changes nothing if its API key is revoked"),
    edits: [[AUTHORIZE, "if (!isKeyLive || id === null", "if ((!isKeyLive && name === null) || id === null"]],
    expected: failed,
  },
  {
    name: "test: an API key changes authority in a suspended organization",
    command: inMachineRaces("a write that grants permissions changes nothing if its API key is revoked"),
    edits: [[AUTHORIZE, '  if (status === "SUSPENDED") throw organizationOfKeyIsSuspended();\n', ""]],
    expected: failed,
  },
  {
    name: "test: a move compares only the service account that moves",
    command: only("features/service-accounts/escalation", "a service account cannot move a unit"),
    edits: [["src/core/authorize/escalation.ts", "[caller, ...holders].some(", "[caller].some("]],
    expected: failed,
  },
];

/** Planted faults in the lines that decide races between requests with idempotency keys. Tests must find them. */
const IDEMPOTENCY_FAULTS: PlantedFault[] = [
  {
    name: "test: two requests with one idempotency key run at once",
    command: inKeyRaces("of two concurrent requests with one idempotency key one succeeds"),
    edits: [
      [
        ANSWERS,
        "  if (isLocked && fingerprint === null) return null;\n",
        "  if (fingerprint === null) return null;\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: an idempotency key repeats the response to another body",
    command: inKeyRaces("with one idempotency key and different bodies"),
    edits: [[ANSWERS, "if (fingerprint !== key.fingerprint) {", "if (fingerprint === null) {"]],
    expected: failed,
  },
  {
    name: "test: a response is stored before its change is committed",
    command: inKeyRaces("a connection lost during COMMIT is 503; if the commit failed"),
    edits: [
      [
        ANSWERS,
        "await queries.insertAnswer.run({ ...key, ...stored }, tx.db.pipelined);",
        "await queries.insertAnswer.run({ ...key, ...stored }, call.db);",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a change is committed without its response",
    command: inKeyRaces("kill -9 during COMMIT"),
    edits: [[ANSWERS, "      await queries.insertAnswer.run({ ...key, ...stored }, tx.db.pipelined);\n", ""]],
    expected: failed,
  },
  {
    name: "test: a failed request keeps its idempotency key",
    command: only(
      "core/idempotency/steps",
      "after an error of the payment provider the idempotency key is free",
    ),
    edits: [[ANSWERS, "    await releaseClaim(call, claimed);\n", ""]],
    expected: failed,
  },
  {
    name: "test: a stored response is repeated after its retention",
    command: inKeyRaces("of concurrent repeats after the retention"),
    edits: [
      [
        "sql/idempotency.queries.ts",
        "AND found.created_at > clock_timestamp()",
        "AND found.created_at < clock_timestamp()",
      ],
    ],
    expected: failed,
  },
];

export const TESTED_FAULTS = [...MACHINE_FAULTS, ...IDEMPOTENCY_FAULTS];
