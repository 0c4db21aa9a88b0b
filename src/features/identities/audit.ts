import { type AuditEntry, provider, uuid } from "#kit";

const method = provider.extend({
  connectionId: uuid.optional().describe("The connection of an organization, if the provider is `sso`."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  SIGN_IN_METHOD_ADDED: { target: "user", metadata: method },
  SIGN_IN_METHOD_REMOVED: { target: "user", metadata: method },
} as const satisfies Record<string, AuditEntry>;
