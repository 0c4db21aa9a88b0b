import { z } from "@hono/zod-openapi";
import { type AuditEntry, language, named, uuid } from "#kit";
import { roleGrants } from "#kit/inside";

const invited = named.extend({
  ...roleGrants.shape,
  language,
  supersededId: uuid.nullable().describe("The earlier invitation that the new one replaced; null if none."),
});
const accepted = roleGrants.extend({
  invitationId: uuid.describe("The accepted invitation."),
  existingAccount: z
    .literal(true)
    .optional()
    .describe("Present if the account existed before the invitation was accepted."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  USER_INVITED: {
    target: "invitation",
    metadata: invited,
    shown: invited.partial({ supersededId: true }),
    places: ["assignments"],
    mentions: "supersededId",
  },
  USER_INVITATION_RESENT: { target: "invitation", metadata: named },
  USER_INVITATION_REVOKED: { target: "invitation", metadata: named },
  USER_INVITATION_ACCEPTED: {
    target: "user",
    metadata: accepted,
    shown: accepted.partial({ invitationId: true }),
    places: ["assignments"],
    mentions: "invitationId",
  },
} as const satisfies Record<string, AuditEntry>;
