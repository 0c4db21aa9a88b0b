import { z } from "@hono/zod-openapi";
import { tokenHash } from "../../platform/crypto.ts";
import { withAsciiDomain } from "../../platform/email-domain.ts";
import { isCommon } from "../../platform/passwords/common.ts";
import { MAX_PASSWORD_UNITS, normalized } from "../../platform/passwords/hasher.ts";
import type { Violation } from "../../platform/violations.ts";
import type { Config } from "../config.ts";
import { rawText } from "../definitions/fields.ts";
import { consistsOfContextWords, type PasswordOwner } from "./context-words.ts";

export { MAX_PASSWORD_UNITS } from "../../platform/passwords/hasher.ts";

const LENGTH = { min: 10, max: 200 };

/** The schema of a new password: any Unicode text, whose length is counted in NFC form. */
export const newPassword = z
  .string()
  .superRefine((value, ctx) => {
    // Skips the later checks of a password that is too long: normalizing a long run of combining marks takes
    // seconds.
    if (value.length > MAX_PASSWORD_UNITS)
      ctx.addIssue({ code: "too_big", origin: "string", maximum: LENGTH.max, input: value });
  })
  .transform(normalized)
  .pipe(rawText(LENGTH))
  .superRefine((value, ctx) => {
    if (isCommon(value))
      ctx.addIssue({ code: "custom", message: "must not be a common password", input: value });
  })
  .openapi({ type: "string", format: "password", minLength: LENGTH.min, maxLength: LENGTH.max });

/**
 * Returns the violations of a password that depend on its owner, which the schema `newPassword` cannot check. The
 * password and its owner may come from a body that is not validated.
 */
export function passwordViolations(
  path: string,
  password: unknown,
  owner: { [Key in keyof PasswordOwner]?: unknown },
  config: Config,
): Violation[] {
  if (typeof password !== "string" || password.length > MAX_PASSWORD_UNITS) return [];
  const [email, firstName, lastName] = [owner.email, owner.firstName, owner.lastName].map(textOf);
  const problem = passwordProblem(
    normalized(password),
    { email: email ?? "", firstName: firstName ?? "", lastName: lastName ?? "" },
    config,
  );
  return problem === null ? [] : [{ path, message: `${path} ${problem}` }];
}

/** Longer names and emails are never valid, and comparing them would take long. */
const MAX_OWNER_UNITS = 500;
const textOf = (value: unknown): string =>
  typeof value === "string" && value.length <= MAX_OWNER_UNITS ? value.trim() : "";

/** Returns why an account must not have this password, as a violation without its path; null if it may. */
export function passwordProblem(password: string, owner: PasswordOwner, config: Config): string | null {
  if (isOwnEmail(password, owner.email)) return NOT_THE_EMAIL;
  return consistsOfContextWords(password, owner, config) ? NOT_OF_NAMES : null;
}

/**
 * Whether an account still has the password whose hash was read before. The same password may have been hashed
 * again meanwhile, with other parameters.
 */
export const hasSamePassword = (
  account: { passwordHash: string | null; passwordRenewal: string | null },
  hashBefore: string | null,
): boolean =>
  account.passwordHash === hashBefore ||
  account.passwordRenewal === tokenHash(`${hashBefore} ${account.passwordHash}`);

/** Whether a password is the account's own email, which an attacker would try first. */
export const isOwnEmail = (password: string, ownEmail: string) =>
  ownEmail !== "" && comparedEmail(password.trim()) === comparedEmail(ownEmail);

const comparedEmail = (email: string) => withAsciiDomain(email).toLowerCase();

export const NOT_THE_EMAIL = "must not be the email address";
const NOT_OF_NAMES = "must not be made of the account's or the service's names alone";
