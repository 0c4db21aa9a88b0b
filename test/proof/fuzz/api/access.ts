import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";

/*
 * Who may call each operation, as it was reviewed: from the committed snapshot of the document, not from the routes that
 * are under test, so that a check that got lost is missed here.
 */
const SNAPSHOT = join(import.meta.dir, "../../../architecture/__snapshots__/document.test.ts.snap");
const LINE = /"[A-Z]+ \S+ (\w+) \(([^)]+)\): /g;
const declared = new Map(
  [...readFileSync(SNAPSHOT, "utf8").matchAll(LINE)].map(([, id = "", access = ""]) => [id, access]),
);
const SIGNED_IN = "listOwnSessions";
if (declared.get(SIGNED_IN) !== "signed-in")
  throw new Error(`${SNAPSHOT} does not say who may call ${SIGNED_IN}`);

/** The permission that an operation asks for, or a word for who else may call it. */
export const permissionOf = (operation: string): string => declared.get(operation) ?? "public";

/** What a token says. */
export type Claims = Pick<
  typeof AccessTokenClaims._output,
  "sub" | "sid" | "isPlatformAdmin" | "organization" | "permissions" | "unitGrants"
>;

/** Why the holder of these claims may not call an operation, or null. Without an organization of its own nobody holds a permission. */
export function refusalOf(operation: string, claims: Claims | null): string | null {
  const access = declared.get(operation);
  if (access === undefined || access === "public") return null;
  if (claims === null) return "nobody is signed in";
  if (access === "signed-in" || claims.isPlatformAdmin) return null;
  if (access === "platform-admin") return "they are no platform administrator";
  if (claims.organization === null) return "they act in no organization";
  if (access === "member" || claims.unitGrants === null) return null;
  const held = [...claims.permissions, ...claims.unitGrants.flatMap(({ permissions }) => permissions)];
  return held.includes(access as never) ? null : `they do not hold ${access}`;
}
