import type { PlantedFault } from "../planted-faults.ts";
import { soakOf } from "./soak.ts";

/** Runs the one test of a file whose name contains the text. */
const only = (file: string, text: string) => ["test", `test/features/${file}.test.ts`, "-t", text];
const failed = /^\(fail\) /;
const inPasskeyRaces = (text: string) => only("passkeys/races", text);
const inEmailRaces = (text: string) => only("profile/email-change-races", text);

const ASSERTIONS = "src/core/accounts/passkey-assertions.ts";
const SIGN_IN = "src/features/passkeys/sign-in.ts";
const VERIFY = "src/features/two-factor/verify.ts";
const UNDO = "src/features/email-change/undo.ts";
const EMAILS = "migrations/0025_email_changes.sql";
const WAY_IN = "    await assertWayInLeft(tx, userId);\n";
const READ_BEFORE: [string, string, string] = [
  SIGN_IN,
  "const passkey = await findUsablePasskey(tx, response);",
  "const passkey = found;",
];
const UNLOCKED: PlantedFault["edits"] = [
  [
    "src/features/email-change/confirm.ts",
    "  await lockEmails(tx, [oldEmail, newEmail]);\n  await lockUsers(tx, [userId]);\n",
    "  void [lockEmails, lockUsers, oldEmail, newEmail, userId];\n",
  ],
];

/** Faults in the lines that decide the races of passkeys. */
const PASSKEY_FAULTS: PlantedFault[] = [
  {
    name: "test: an assertion of a passkey proves twice",
    command: inPasskeyRaces("one assertion, sent twice at once"),
    edits: [
      [
        ASSERTIONS,
        "  if (proof !== null && !(await useChallengeOnce(tx, expected.challenge))) throw usedError();\n",
        "",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a repeated assertion blocks a passkey",
    command: only("passkeys/passkeys", "a repeated assertion does not block"),
    edits: [[ASSERTIONS, "  if (await isChallengeUsed(tx, expected.challenge)) throw usedError();\n", ""]],
    expected: failed,
  },
  {
    name: "test: the counter of a passkey is read before the lock",
    command: inPasskeyRaces("the second blocks a device-bound passkey"),
    edits: [READ_BEFORE],
    expected: failed,
  },
  {
    name: "test: the counter of a passkey is read before the lock, and written without a condition",
    command: inPasskeyRaces("one starts a session"),
    edits: [
      READ_BEFORE,
      ["sql/people/passkeys.queries.ts", "AND sign_count = :readCount", "OR  sign_count = :readCount"],
    ],
    expected: failed,
  },
  {
    name: "test: the last passkey or provider of an account is removed",
    command: inPasskeyRaces("the removal of the last two ways in at once"),
    edits: [
      ["src/features/passkeys/manage.ts", WAY_IN, ""],
      ["src/features/identities/link.ts", WAY_IN, ""],
    ],
    expected: failed,
  },
  {
    name: "test: a passkey is added and removed without the user's lock",
    command: inPasskeyRaces("a passkey that is added while the last way in is removed"),
    edits: [
      [
        "src/core/accounts/reauthenticate.ts",
        "  await lockUsers(tx, [tx.actor.userId]);\n",
        "  void lockUsers;\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a removed passkey signs in",
    command: inPasskeyRaces("a sign-in that waits for the removal of its passkey"),
    edits: [READ_BEFORE, [ASSERTIONS, "  if (used === undefined) return null;\n", "  void used;\n"]],
    expected: failed,
  },
  {
    name: "test: a proof by a passkey outlives its removal",
    command: inPasskeyRaces("a proof by a passkey is void"),
    edits: [["src/features/two-factor/prove.ts", "    await assertPasskeyStays(tx, checked);\n", ""]],
    expected: failed,
  },
  {
    name: "test: a second step with a passkey uses a challenge that a reset ended",
    command: inPasskeyRaces("a second step with a passkey"),
    edits: [
      [
        VERIFY,
        "const [challenge] = await queries.findChallenge.run(hashed, tx.db);",
        "const challenge = found;",
      ],
      [VERIFY, "    if (used === undefined) throw challengeExpired();\n", "    void used;\n"],
    ],
    expected: failed,
  },
];

/** Faults in the lines that decide the races of changes of email. */
const EMAIL_FAULTS: PlantedFault[] = [
  {
    name: "test: an email is given to two accounts",
    command: inEmailRaces("of two changes to one email"),
    edits: [
      [
        EMAILS,
        "    OR EXISTS (SELECT FROM account_emails WHERE email = new_email AND user_id <> account_id)\n    OR EXISTS (SELECT FROM users WHERE email = new_email AND id <> account_id) THEN",
        "    THEN",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: an email is given without the lock that a registration takes",
    command: inEmailRaces("a registration and a completion with one email"),
    edits: [
      [
        EMAILS,
        "  PERFORM pg_advisory_xact_lock(hashtext('retired email'), retired_email_lock(new_email));\n",
        "",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a change of email is confirmed and canceled without its locks",
    command: inEmailRaces("of a confirmation and a cancellation at once"),
    edits: UNLOCKED,
    expected: failed,
  },
  {
    name: "test: a change of email is confirmed by both addresses without its locks",
    command: inEmailRaces("the links of both addresses at once"),
    edits: UNLOCKED,
    expected: failed,
  },
  {
    name: "test: an undo of an email leaves the next change pending",
    command: inEmailRaces("an undo and the completion of the next change"),
    edits: [[UNDO, "  await cancelPending(tx, userId);\n", ""]],
    expected: failed,
  },
  {
    name: "test: an undo of an email leaves the undo of the next change",
    command: inEmailRaces("an undo and the completion of the next change"),
    edits: [[UNDO, "  await queries.markUndone.run({ userId, since }, tx.db);\n", ""]],
    expected: failed,
  },
  {
    name: "test: an undo link of an email works twice",
    command: inEmailRaces("one undo link that is sent twice"),
    edits: [
      [UNDO, "    const change = await findChange(tx, hash);\n", "    const change = found;\n"],
      [
        UNDO,
        "  if (!exactlyOne(await queries.undoEmail.run({ id }, tx.db)).isUndone) throw invalidOrExpiredToken();\n",
        "  exactlyOne(await queries.undoEmail.run({ id }, tx.db));\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a deleted account gets the new email",
    command: inEmailRaces("a confirmation that waits for the deletion"),
    edits: [
      [
        "src/core/accounts/end-account.ts",
        "  await people.cancelEmailChanges.run({ userId: id }, tx.db);\n",
        "",
      ],
      [
        "sql/email-changes.queries.ts",
        "u.id = c.user_id AND NOT u.is_deleted",
        "u.id = c.user_id AND u.id IS NOT NULL",
      ],
      [EMAILS, "WHERE id = account_id AND NOT is_deleted FOR UPDATE", "WHERE id = account_id FOR UPDATE"],
    ],
    expected: failed,
  },
  {
    name: "test: two requests of a change of email at once mail two sets of links",
    command: inEmailRaces("two requests at once"),
    edits: [
      [
        "src/features/email-change/request.ts",
        "    if (seconds !== null) throw tooManyRequests(seconds);\n",
        "    void tooManyRequests;\n",
      ],
    ],
    expected: failed,
  },
];

/** Faults that let the thief of a session keep an account. */
const THEFT_FAULTS: PlantedFault[] = [
  {
    name: "test: a stolen session sets up a second factor for an account without a password",
    command: only("profile/without-password", "a stolen session does not take over"),
    edits: [
      [
        "src/features/two-factor/settings.ts",
        "  await assertRecentWithoutPassword(call, before);\n",
        "  void assertRecentWithoutPassword;\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a stolen session links a provider to an account without a password",
    command: only("profile/without-password", "a stolen session does not take over"),
    edits: [
      [
        "src/features/identities/begin.ts",
        "  await assertRecentWithoutPassword(call, before);\n",
        "  void assertRecentWithoutPassword;\n",
      ],
    ],
    expected: failed,
  },
  {
    name: "test: a session before a required second factor confirms an email",
    command: only("profile/email-change", "a session before a required second factor"),
    edits: [
      [
        "src/features/email-change/confirm.ts",
        "  if (mustEnableTwoFactor) throw twoFactorRequired();\n",
        "  void [mustEnableTwoFactor, twoFactorRequired];\n",
      ],
    ],
    expected: failed,
  },
];

/** Faults that `bun run proof soak` must find within a minute. */
const SOAK_FAULTS: PlantedFault[] = [
  {
    name: "soak: a challenge of a passkey is known to be used only by the instance that used it",
    command: soakOf(63, "feed"),
    edits: [
      [
        "src/core/accounts/passkey-challenges.ts",
        "  return (await queries.useWebauthnChallenge.run({ digest: tokenHash(challenge) }, tx.db)).length > 0;",
        "  void [tx, queries];\n  if (used.has(challenge)) return false;\n  used.add(challenge);\n  return true;",
      ],
      [
        "src/core/accounts/passkey-challenges.ts",
        "const LIFETIME_SECONDS = 300;",
        "const LIFETIME_SECONDS = 300;\nconst used = new Set<string>();",
      ],
    ],
    expected: /^Violated: .*(sessions by one assertion|instead of 401)/,
  },
  {
    name: "soak: a completed change of email leaves other sessions",
    command: soakOf(63, "feed"),
    edits: [
      [
        "src/features/email-change/confirm.ts",
        "  await endSessions(tx, userId, sessionId);\n",
        "  void sessionId;\n",
      ],
    ],
    expected: /^Violated: .*\/api\/auth\/refresh/,
  },
  {
    name: "soak: a re-authentication is not recorded",
    command: soakOf(63, "feed"),
    edits: [
      [
        "src/features/profile/reauthenticate.ts",
        "    const [recorded] = await access.recordProof.run({ userId, sessionId, ...proof }, tx.db);\n    if (recorded === undefined) throw unauthenticated();\n",
        "    void [access, userId, sessionId, unauthenticated];\n",
      ],
    ],
    expected: /^Violated: .*PATCH \/api\/profile\/passkeys/,
  },
  {
    name: "soak: two passkeys at once exceed the limit",
    command: soakOf(63, "feed"),
    edits: [
      [
        "src/features/passkeys/register.ts",
        "    const number = await assertRoom(tx, account.id);\n",
        "    const number = 1 + 0 * (await assertRoom(tx, account.id).catch(() => 0));\n",
      ],
    ],
    expected: /^Violated: .*passkeys were added where one was allowed/,
  },
];

/** Faults of passkeys and changes of email. Tests and soak must find them. */
export const IDENTITY_FAULTS: PlantedFault[] = [
  ...PASSKEY_FAULTS,
  ...EMAIL_FAULTS,
  ...THEFT_FAULTS,
  ...SOAK_FAULTS,
];
