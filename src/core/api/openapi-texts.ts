import type { Access } from "../access/access.ts";
import { isUnitScoped } from "../access/catalog.ts";
import type { Reauthentication } from "./route.ts";

/** The general description of the API. */
export const DESCRIPTION = `Accounts, sessions and organizations behind one API.

**Signing in.** \`POST /api/auth/login\` returns an access token for the \`Authorization: Bearer\` header and sets the
\`refresh_token\` cookie. If two-factor authentication is on, it returns a challenge instead, which \`POST /api/auth/2fa/verify\` exchanges for both. On a 401, call
\`POST /api/auth/refresh\` once and repeat the request. \`GET /api/auth/oidc/{provider}\` starts third-party sign-in; open it in the browser.

**API keys.** A service account of an organization authenticates by an API key, sent like an access token as \`Authorization: Bearer\`. It acts in
that organization with the roles of the account. \`x-api-keys\` says whether keys may call an operation; other operations return 403
\`API_KEY_NOT_ALLOWED\`. Every response to a key has the headers \`RateLimit-Policy\` and \`RateLimit\`.

**Connected apps.** With \`OAUTH=on\` an app acts for a person in one organization, within scopes. It gets access tokens by OAuth 2.1
(\`/.well-known/oauth-authorization-server\`) and sends them like those of a sign-in. \`x-apps\` says whether apps may call an operation, \`x-scope\`
with which scope; otherwise it returns 403 \`APP_NOT_ALLOWED\` or \`INSUFFICIENT_SCOPE\`. Every response to an app has \`RateLimit-Policy\` and \`RateLimit\`.

**A required second factor.** If the service requires a second factor (\`REQUIRE_TWO_FACTOR\`) and the account has none, its access
token has the claim \`mustEnableTwoFactor\`, and only operations described as available before the setup can be called; all others that need a
token return 403 \`TWO_FACTOR_REQUIRED\`. Call \`POST /api/profile/2fa/setup\`, \`POST /api/profile/2fa/enable\`, then \`POST /api/auth/refresh\`.

**Recent proofs of identity.** Operations of the class \`credentials\` need a proof that is at most 10 minutes old: a sign-in or
\`POST /api/profile/reauthenticate\` in the same session. Those of the classes \`account\`, \`authority\`, \`billing\` and \`platform\` need one if
the service is configured so. Otherwise they return 403 \`REAUTHENTICATION_REQUIRED\`; \`details\` lists the methods that the account can use. A
password in the body of an operation counts as a proof. Re-authenticate and repeat the request with the same token.

**Errors** have one shape: \`{ statusCode, code, message, errors?, details?, requestId }\`. \`code\` is stable. \`errors\` lists up to
50 violations of a request together, and truncates unknown names to 64 characters. An error is smaller than 16 KB.

**Bodies.** A JSON body may have up to 100 KB and must arrive within ten seconds; a form may have up to 26 MB and must arrive within five
minutes. Otherwise the response is 413 or 408.

**Lists** take \`page\`, \`pageSize\`, \`sort\`, \`order\` and, if the operation has it, \`search\`. They return
\`{ data, total, page, pageSize }\`.

**Changes.** \`PATCH\` changes only the fields that are sent; \`{}\` succeeds and changes nothing.

**Repeating a POST.** Operations that list the header \`Idempotency-Key\` take effect once for each key of a caller within 24 hours. Repeat
the request with its key after a lost response: it returns the stored response, with \`Idempotent-Replayed: true\`.

**Organizations.** A session acts in one organization, which its access token names; \`POST /api/auth/organization\`
switches it. Platform administrators act in none and name an organization with \`X-Organization-Id\`. Roles are assigned for the whole
organization or in a unit, where they cover that unit and everything below it. Changes of roles, units and memberships
reach an access token at its next refresh.

**Headers.** Every operation accepts \`X-Request-Id\` (1 to 128 letters, digits, dots, hyphens, underscores), which identifies the request in
the logs. The response has the same id, or a new one if it is missing or invalid. \`X-Organization-Id\`, \`X-Filter-Unit\` and \`X-Filter-Member\` hold comma-separated ids, at
most 50, and are listed where they have an effect; elsewhere only their format is checked. Only platform administrators may send
\`X-Organization-Id\`; others get 403.`;

/** Describes in one sentence who may call an operation, for the OpenAPI document. */
export function describeAccess(access: Access): string {
  switch (access) {
    case "public":
      return "Anybody may call this.";
    case "signed-in":
      return "Needs an access token.";
    case "api-key":
      return "Needs an API key; 404 for an access token.";
    case "platform-admin":
      return "Needs the access token of a platform administrator.";
    case "product":
      return "Needs the key of the product; 401 for an access token and for an API key.";
    case "setup-link":
      return "Needs the token of a setup link; 401 for anybody else.";
    case "app":
      return "Needs the access token of a connected app; 404 for a session and for an API key.";
    case "member":
      return "Needs an access token with an active organization.";
    default: {
      const inUnits =
        access.organizationWide === undefined ? ", organization-wide or in a unit" : ", organization-wide";
      const where = isUnitScoped(access.permission) ? inUnits : "";
      const platform =
        access.crossOrganization === undefined
          ? "Platform administrators send `X-Organization-Id`."
          : "For a platform administrator the operation covers all organizations, or those in `X-Organization-Id`.";
      const feature =
        access.feature === undefined ? "" : ` The organization's plan must include \`${access.feature}\`.`;
      const key = access.any === undefined ? "" : ` An API key needs \`${access.any}\` instead.`;
      return `Needs \`${access.permission}\` in the active organization${where}.${key} ${platform}${feature}`;
    }
  }
}

/**
 * Describes the recent proof of identity that a route needs; the document's general description explains the term.
 */
export const describeReauthentication = ({ classes, ifBodyHas }: Reauthentication): string => {
  if (classes.includes("credentials")) return "Needs a recent proof of identity (class `credentials`).";
  const value = ifBodyHas?.value === undefined ? "" : `: ${ifBodyHas.value}`;
  const fields = [ifBodyHas?.field ?? []].flat().map((field) => `\`${field}${value}\``);
  const condition = fields.length === 0 ? "" : ` and the body has ${fields.join(" or ")}`;
  return `Needs a recent proof of identity if \`REAUTHENTICATION_FOR\` has ${classes.map((name) => `\`${name}\``).join(" or ")}${condition}.`;
};
