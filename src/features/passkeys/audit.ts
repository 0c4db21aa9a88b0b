import { z } from "@hono/zod-openapi";
import { type AuditEntry, textExample, uuid } from "#kit";

const passkey = z.object({
  name: textExample("Laptop").describe("The name of the passkey."),
  authenticator: textExample("Google Password Manager")
    .nullable()
    .describe("The name of the authenticator that stores the passkey; null if it is unknown."),
  userId: uuid
    .optional()
    .describe("The owner of the passkey, if a platform administrator removed it; absent otherwise."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  PASSKEY_ADDED: { target: "passkey", metadata: passkey },
  PASSKEY_REMOVED: { target: "passkey", metadata: passkey },
  PASSKEY_BLOCKED: { target: "passkey", metadata: passkey },
} as const satisfies Record<string, AuditEntry>;
