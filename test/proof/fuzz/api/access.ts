import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";

/*
 * Who may call each operation. This is read from the committed snapshot of the document, not from the routes under test, so that
 * a missing check is found.
 */
const SNAPSHOT = join(import.meta.dir, "../../../architecture/__snapshots__/document.test.ts.snap");
const LINE = /"[A-Z]+ \S+ (\w+) \(([^),]+)(, API keys)?\): /g;
const declared = new Map(
  [...readFileSync(SNAPSHOT, "utf8").matchAll(LINE)].map(([, id = "", access = ""]) => [id, access]),
);
const allowedForKeys = new Set(
  [...readFileSync(SNAPSHOT, "utf8").matchAll(LINE)].flatMap(([, id = "", , keys]) => (keys ? [id] : [])),
);
const SIGNED_IN = "listOwnSessions";
if (declared.get(SIGNED_IN) !== "signed-in")
  throw new Error(`${SNAPSHOT} does not say who may call ${SIGNED_IN}`);

/** Returns the permission that an operation requires, or "public", "signed-in", "member" or "platform-admin". */
export const permissionOf = (operation: string): string => declared.get(operation) ?? "public";

/** The claims of an access token that the checks read. */
export type Claims = Pick<
  typeof AccessTokenClaims._output,
  "sub" | "sid" | "isPlatformAdmin" | "organization" | "permissions" | "unitGrants"
>;

/**
 * Returns the reason why the holder of these claims must not call an operation; null if there is none. Without an
 * organization, a caller has no permissions.
 */
export function refusalOf(operation: string, claims: Claims | null, isKey = false): string | null {
  const access = declared.get(operation);
  if (access === undefined || access === "public") return null;
  if (claims === null) return "nobody is signed in";
  if (isKey && !allowedForKeys.has(operation)) return "no API key may call it";
  if (isKey && claims.organization === null) return "the API key has ended";
  if (access === "signed-in" || claims.isPlatformAdmin) return null;
  if (access === "platform-admin") return "they are no platform administrator";
  if (claims.organization === null) return "they act in no organization";
  if (access === "member" || access === "api-key" || claims.unitGrants === null) return null;
  const held = [...claims.permissions, ...claims.unitGrants.flatMap(({ permissions }) => permissions)];
  return held.includes(access as never) ? null : `they do not hold ${access}`;
}
