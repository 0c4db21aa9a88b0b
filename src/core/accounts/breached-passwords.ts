import { validationFailed } from "../../platform/errors.ts";
import type { Call } from "../context.ts";
import { orAllowed } from "./outside-checks.ts";

declare module "../context.ts" {
  interface App {
    /** Knows passwords from data breaches; null if none is configured. */
    readonly breachedPasswords: BreachedPasswords | null;
  }
}

/** A service that knows passwords from data breaches. */
export interface BreachedPasswords {
  /** Whether a password is listed. @throws if the service fails or its answer is none */
  isListed(password: string): Promise<boolean>;
}

/**
 * Rejects a new password from a data breach (rules 32.7). Call it for a password that is otherwise acceptable, before it is
 * hashed and outside of transactions.
 * @throws validationFailed
 */
export async function assertNotBreached(call: Call, path: string, password: string): Promise<void> {
  const { breachedPasswords, meter } = call.app;
  if (breachedPasswords === null) return;
  const isListed = await orAllowed(call, "breached-passwords", () => breachedPasswords.isListed(password));
  const outcome = isListed === null ? "failed" : isListed ? "listed" : "clear";
  meter.count("breached_password_checks_total", { outcome });
  if (isListed)
    throw validationFailed([{ path, message: `${path} must not be a password from a data breach` }]);
}
