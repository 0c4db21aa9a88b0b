import type { PlantedFault } from "../planted-faults.ts";
import { fuzz, only } from "./fuzz-command.ts";

/** Planted faults in permissions and audit events within an organization, which `bun run proof fuzz` must find. */
export const RIGHT_FAULTS: PlantedFault[] = [
  {
    name: "fuzz: a unit's administrator reads all events",
    command: fuzz,
    edits: [
      [
        "src/features/audit/visibility.ts",
        'const units = await reachIncludingDeleted(call.permissions, "Audit.Read", db);',
        'const units = unrestricted("no reason");\n  await reachIncludingDeleted(call.permissions, "Audit.Read", db);',
      ],
    ],
    expected: /^reach: .*/,
  },
  {
    name: "fuzz: a filter by units reaches further than the caller",
    command: fuzz,
    edits: [
      [
        "src/core/access/reach.ts",
        "return asReachUnits(unitIds.filter((id) => inReach.has(id)));",
        "return asReachUnits(inReach.size > 0 ? unitIds : []);",
      ],
    ],
    expected: /^(reach|list): .*/,
  },
  {
    name: "fuzz: a unit's administrator reads all invitations",
    command: only("listInvitations"),
    edits: [
      [
        "src/features/invitations/read.ts",
        '  const { units } = await invitationReach(permissions, "Invitations.Read", db.lists);\n  const filters = { organizationId, units, search };',
        '  await invitationReach(permissions, "Invitations.Read", db.lists);\n  const filters = { organizationId, units: null, search };',
      ],
    ],
    expected: /^reach: .*/,
  },
  {
    name: "fuzz: roles are granted by a member who does not hold them",
    command: fuzz,
    edits: [
      [
        "src/features/invitations/invite.ts",
        "  await assertHeld(tx, permissions, assignments);\n",
        "  void assertHeld;\n",
      ],
    ],
    expected: /^access: .*/,
  },
  {
    name: "fuzz: permissions change in a suspended organization",
    command: fuzz,
    edits: [
      [
        "src/core/authorize/authorize.ts",
        "if (isSuspended && !worksInSuspended && !isBilling(permission)) throw",
        'if (isSuspended && !worksInSuspended && !isBilling(permission) && organizationId === "") throw',
      ],
    ],
    expected: /^changed: .*/,
  },
  {
    name: "fuzz: a change of a role without its event",
    command: fuzz,
    edits: [
      [
        "src/features/roles/write.ts",
        '    await audit(tx, "ROLE_UPDATED", {',
        '    if (id === "") await audit(tx, "ROLE_UPDATED", {',
      ],
    ],
    expected: /^changed: .*/,
  },
  {
    name: "fuzz: a change of a status without its event",
    command: only("setOrganizationTicketStatus"),
    edits: [
      [
        "src/features/helpdesk/status.ts",
        "      await auditStatus(tx, viewer, ticket, status);\n",
        '      if (viewer.staffScope === "PLATFORM") await auditStatus(tx, viewer, ticket, status);\n',
      ],
    ],
    expected: /^changed: .*/,
  },
  {
    name: "fuzz: a session survives the end of a membership",
    command: fuzz,
    edits: [
      [
        "src/features/members/leave.ts",
        "    await endSessionsIn(tx, { organizationId, userId });\n",
        "    void endSessionsIn;\n",
      ],
    ],
    expected: /^session: .*/,
  },
  {
    name: "fuzz: a session survives its logout",
    command: fuzz,
    edits: [
      [
        "src/features/sessions/logout.ts",
        "await sessions.revokeSession.run({ userId, sessionId: owner.sessionId }, tx.db);",
        "[{ id: owner.sessionId }];",
      ],
    ],
    expected: /^session: .*/,
  },
  {
    name: "fuzz: a stolen refresh token ends nothing",
    command: fuzz,
    edits: [
      [
        "src/features/sessions/refresh.ts",
        "  await endAllSessions(tx, row.userId);\n",
        "  void endAllSessions;\n",
      ],
    ],
    expected: /^session: .*/,
  },
];
