import { type Violation, validationFailed } from "#kit";
import type { ApiKeyConfig } from "./config.ts";

const DAY_MS = 24 * 3_600_000;

/** Returns the violations of `API_KEY_MAX_DAYS` by the requested expiry of a key. */
export function endViolations({ apiKeyMaxDays }: ApiKeyConfig, expiresAt: unknown): Violation[] {
  if (apiKeyMaxDays === null) return [];
  const path = "expiresAt";
  if (expiresAt == null) return [{ path, message: `${path} is required` }];
  const end = expiresAt instanceof Date ? expiresAt.getTime() : Date.parse(String(expiresAt));
  const isTooLate = end > Date.now() + apiKeyMaxDays * DAY_MS;
  return isTooLate ? [{ path, message: `${path} must be at most ${apiKeyMaxDays} days ahead` }] : [];
}

/** Checks the requested expiry of a key against `API_KEY_MAX_DAYS`. @throws validationFailed */
export function assertAllowedEnd(config: ApiKeyConfig, expiresAt: Date | null): void {
  const violations = endViolations(config, expiresAt);
  if (violations.length > 0) throw validationFailed(violations);
}
