import type { PlantedFault } from "../planted-faults.ts";
import { race } from "./race.ts";

/**
 * Planted faults of members, limits and concurrent writes that `bun run proof race` must find when it races one pair
 * of writes.
 */
export const WRITE_FAULTS: PlantedFault[] = [
  {
    name: "race: a reply to a ticket without its row's lock",
    command: race("reply as staff / close ticket"),
    edits: [["sql/helpdesk/tickets.queries.ts", "FOR UPDATE OF t", "               "]],
    expected: /^Finding .*/,
  },
  {
    name: "race: a field is written with a value that was read before the lock",
    command: race("change todo / rename todo"),
    edits: [
      [
        "src/features/todos/service.ts",
        "title: title ?? null, completed: completed ?? null };",
        "title: title ?? found.title, completed: completed ?? found.completed };",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: an email is registered twice",
    command: race("register / register with an organization"),
    edits: [
      ["sql/accounts.queries.ts", '\\nON CONFLICT (email) DO NOTHING\\nRETURNING id"', '\\nRETURNING id"'],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a code of an app that is used twice, without its lock and condition",
    command: race("second factor by app / second factor by app, other challenge"),
    edits: [
      ["sql/two-factor.queries.ts", "OR last_step < :step)", "OR last_step < :step OR true)"],
      [
        "src/features/two-factor/verify.ts",
        "    await lockForSignIn(tx, userId, cookie);\n",
        "    void lockForSignIn;\n",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: the use of a role is checked before the lock",
    command: race("delete role / grant role"),
    edits: [
      [
        "src/features/roles/write.ts",
        '    const held = await authorize(tx, "Roles.Delete");\n    const role = await findOwnRole(tx, id);\n    assertHeldEverywhere(held, role.permissions);\n    const isInUse = exactlyOne(await queries.isRoleInUse.run({ id, organizationId }, tx.db)).isInUse;\n    if (isInUse || (await isRoleInvitedTo(tx.db, { organizationId, roleId: id }))) throw roleInUse();\n',
        '    const isInUse =\n      exactlyOne(await queries.isRoleInUse.run({ id, organizationId }, tx.db)).isInUse ||\n      (await isRoleInvitedTo(tx.db, { organizationId, roleId: id }));\n    const held = await authorize(tx, "Roles.Delete");\n    const role = await findOwnRole(tx, id);\n    assertHeldEverywhere(held, role.permissions);\n    if (isInUse) throw roleInUse();\n',
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a limit of a day that is counted before the lock",
    command: race("found an organization / found an organization"),
    edits: [
      [
        "src/features/organizations/create-own.ts",
        "  await lockAccount(tx);\n  const today = exactlyOne(await queries.countCreatedToday.run({ userId }, tx.db));\n  if (today.count >= MAX_PER_DAY) throw tooManyRequests(today.secondsLeft);\n",
        "  const today = exactlyOne(await queries.countCreatedToday.run({ userId }, tx.db));\n  if (today.count >= MAX_PER_DAY) throw tooManyRequests(today.secondsLeft);\n  await lockAccount(tx);\n",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: no lock of the platform, so that two operators demote each other",
    command: race("demote operator / demote operator2"),
    edits: [
      [
        "src/features/users/write.ts",
        "    await lockPlatform(tx);\n    await authorizePlatformAdmin(tx);\n    await lockUsers(tx, [id]);\n    const user = await findUser(tx, id);\n    if (isPlatformAdmin === undefined)",
        "    await authorizePlatformAdmin(tx);\n    await lockUsers(tx, [id]);\n    const user = await findUser(tx, id);\n    if (isPlatformAdmin === undefined)",
      ],
    ],
    expected: /^Finding .*/,
  },
  {
    name: "race: a second factor that is enabled twice, without its lock",
    command: race("enable second factor / enable second factor"),
    edits: [
      [
        "src/features/two-factor/settings.ts",
        "    const account = await lockAccount(tx);\n    assertDisabled(account);\n    if (checked === null) {",
        "    const account = await findAccountOfSession(tx.db, tx.actor);\n    assertDisabled(account);\n    if (checked === null) {",
      ],
    ],
    expected: /^Finding .*/,
  },
];
