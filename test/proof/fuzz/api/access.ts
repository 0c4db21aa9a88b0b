import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SETUP_PREFIX } from "../../../../src/core/access/access.ts";
import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";
import { looksLikeApiKey, looksLikeAppSecret } from "../../../../src/core/access/token-forms.ts";
import { operationSet } from "./operations.ts";

/*
 * Who may call each operation. This is read from the committed listing of the document, not from the routes under test, so that
 * a missing check is found.
 */
const LISTING = join(import.meta.dir, "../../../../src/client/document.txt");
const LINE = /^[A-Z]+ \S+ (\w+) \(([^),]+)(, API keys)?\): /gm;
const declared = new Map(
  [...readFileSync(LISTING, "utf8").matchAll(LINE)].map(([, id = "", access = ""]) => [id, access]),
);
const allowedForKeys = new Set(
  [...readFileSync(LISTING, "utf8").matchAll(LINE)].flatMap(([, id = "", , keys]) => (keys ? [id] : [])),
);
const SIGNED_IN = "listOwnSessions";
if (declared.get(SIGNED_IN) !== "signed-in")
  throw new Error(`${LISTING} does not say who may call ${SIGNED_IN}`);

/** Returns the permission that an operation requires, or "public", "signed-in", "member" or "platform-admin". */
export const permissionOf = (operation: string): string => declared.get(operation) ?? "public";

/** The operations that setup links may call (rules 45). */
const SETUP = operationSet(
  ...["getSignOnSetup", "finishSignOnSetup", "listDomains", "createDomain", "verifyDomain"],
  ...["listConnections", "getConnection", "createConnection", "updateConnection"],
  ...["testConnection", "getConnectionTest"],
);

/** The operations that apps may call (rules 46), beside the public ones. */
const FOR_APPS = operationSet(
  ...["getOrganization", "getOrganizationOverview", "listRoles", "getBilling", "listPermissions"],
  ...["listUnits", "createUnit", "updateUnit", "deleteUnit", "listMembers", "getMember", "listRoleOptions"],
  ...["listUnitOptions", "listInvitations", "listEvents", "getEvent", "listOrganizationAuditEvents"],
  ...["getOrganizationAuditHistogram", "getHelpdeskOverview", "listOrganizationTickets"],
  ...["getOrganizationTicket", "listOrganizationTicketMessages", "replyToOrganizationTicket"],
  ...["setOrganizationTicketStatus", "downloadAttachment", "listTodos", "listAllTodos", "getTodo"],
  ...["createTodo", "updateTodo", "deleteTodo", "getOwnConnectedApp"],
);

type Credential = "session" | "key" | "setup" | "app";
/** Returns what kind of credential a token is. */
export const credentialOf = (token: string | null): Credential =>
  token === null
    ? "session"
    : token.startsWith(SETUP_PREFIX)
      ? "setup"
      : looksLikeAppSecret(token)
        ? "app"
        : looksLikeApiKey(token)
          ? "key"
          : "session";

/** The claims of an access token that the checks read. */
export type Claims = Pick<
  typeof AccessTokenClaims._output,
  "sub" | "sid" | "isPlatformAdmin" | "organization" | "permissions" | "unitGrants"
>;

/**
 * Returns the reason why the holder of these claims must not call an operation; null if there is none. Without an
 * organization, a caller has no permissions.
 */
export function refusalOf(
  operation: string,
  claims: Claims | null,
  credential: Credential = "session",
): string | null {
  const access = declared.get(operation);
  if (access === undefined || access === "public") return null;
  if (claims === null) return "nobody is signed in";
  if (credential === "setup" || access === "setup-link") {
    if (credential !== "setup") return "they have no setup link";
    return SETUP.has(operation) ? null : "no setup link may call it";
  }
  const isApp = credential === "app";
  if (isApp && !FOR_APPS.has(operation)) return "no app may call it";
  if (isApp && claims.organization === null) return "what the app was allowed has ended";
  if (access === "app") return isApp ? null : "they are no app";
  const isKey = credential === "key";
  if (isKey && !allowedForKeys.has(operation)) return "no API key may call it";
  if (isKey && claims.organization === null) return "the API key has ended";
  if (access === "signed-in" || claims.isPlatformAdmin) return null;
  if (access === "platform-admin") return "they are no platform administrator";
  if (claims.organization === null) return "they act in no organization";
  if (access === "member" || access === "api-key" || claims.unitGrants === null) return null;
  const held = [...claims.permissions, ...claims.unitGrants.flatMap(({ permissions }) => permissions)];
  return held.includes(access as never) ? null : `they do not hold ${access}`;
}
