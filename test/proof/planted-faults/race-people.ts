import type { PlantedFault } from "../planted-faults.ts";
import { race } from "./race.ts";

const UNLOCKED_NAMES: PlantedFault["edits"] = [
  [
    "src/features/profile/service.ts",
    "    const memberships = isNamed && tx.app.config.events ? await lockMemberships(tx, change.id) : [];\n    if (memberships.length === 0) await lockUsers(tx, [change.id]);\n    const before",
    "    void lockUsers;\n    void isNamed;\n    const memberships: Awaited<ReturnType<typeof lockMemberships>> = [];\n    const before",
  ],
];

/** Planted faults of names, sign-ins by a provider and resent invitations, which `bun run proof race` must find. */
export const NAME_AND_PROVIDER_FAULTS: PlantedFault[] = [
  {
    name: "race: a change of name without the user's lock deadlocks with the deletion of the account",
    command: race("last name / delete account"),
    edits: UNLOCKED_NAMES,
    expected: /^Deadlock .*/,
  },
  {
    name: "race: a change of name without the user's lock leaves the old name in a new membership",
    command: race("accept / invited's last name"),
    edits: UNLOCKED_NAMES,
    expected: /^Finding .*/,
  },
  {
    name: "race: a sign-in by a provider without the user's lock exceeds the cap of sessions",
    command: race("sign in by provider / sign in"),
    edits: [["src/features/identities/sign-in.ts", "  await lockForSignIn(tx, userId, cookie);\n", ""]],
    expected: /^Finding .*/,
  },
  {
    name: "race: the seat of an expired invitation that is sent again is counted before the lock",
    command: race("resend the expired / invite into a unit"),
    edits: [
      [
        "src/features/invitations/resend.ts",
        '  const { permissions, organization } = await authorizeIn(tx, "Invitations.Resend");',
        '  const seatsBefore = await countSeats(tx.db, organizationId);\n  const { permissions, organization } = await authorizeIn(tx, "Invitations.Resend");',
      ],
      [
        "src/features/invitations/resend.ts",
        "assertBelow(seats.limit, max, await countSeats(tx.db, organizationId))",
        "assertBelow(seats.limit, max, seatsBefore)",
      ],
    ],
    expected: /^Finding .*/,
  },
];
