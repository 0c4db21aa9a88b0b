import { type AuditEntry, nothing, provider, uuid } from "#kit";
import { onlyEndedApps } from "#kit/inside";

const registered = provider.partial().extend({
  connectionId: uuid.optional().describe("The connection of an organization, if the provider is `sso`."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  USER_REGISTERED: { target: "user", metadata: registered },
  EMAIL_VERIFIED: { target: "user", metadata: nothing },
  PASSWORD_RESET: { target: "user", metadata: onlyEndedApps },
} as const satisfies Record<string, AuditEntry>;
