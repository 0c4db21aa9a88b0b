/** The tags, in the order in which the document shows them. */
export const TAGS = [
  { name: "accounts", description: "Registration, verification and password reset." },
  { name: "sessions", description: "Signing in, refreshing, signing out." },
  { name: "two-factor", description: "A second factor at signing in: codes from an authenticator app." },
  { name: "identities", description: "Signing in with Google, or any OpenID provider." },
  { name: "profile", description: "One's own account." },
  {
    name: "organizations",
    description: "The active organization; for platform administrators, all of them.",
  },
  { name: "units", description: "The tree of units of the active organization." },
  { name: "roles", description: "Permissions, and the roles that bundle them." },
  { name: "members", description: "People of the active organization, their roles and units." },
  {
    name: "invitations",
    description: "Bringing an email address into the organization, by a single-use link.",
  },
  { name: "todos", description: "The sample resource: owned by a member, reached by others through units." },
  { name: "audit", description: "What happened, and who did it: only ever added to." },
  { name: "billing", description: "Plans and their limits." },
  {
    name: "helpdesk",
    description:
      "Reports with screenshots, and the queues that staff of organizations and of the platform work.",
  },
  { name: "users", description: "Accounts, for platform administrators." },
  { name: "notifications", description: "Messages to oneself." },
  { name: "health", description: "For load balancers and operators." },
];

/** The general description of the API. */
export const DESCRIPTION = `Accounts, sessions and organizations behind one API.

**Signing in.** \`POST /api/auth/login\` answers an access token for the \`Authorization: Bearer\` header and sets the
\`refresh_token\` cookie; where two-factor authentication is on, \`POST /api/auth/2fa/verify\` does so after a code. On a 401, call \`POST /api/auth/refresh\` once and repeat the request. \`GET /api/auth/oidc/{provider}\`
signs in by a third party, for a browser to go to.

**A required second factor.** If the service requires one (\`REQUIRE_TWO_FACTOR\`) and the account has none, its access
token has the claim \`mustEnableTwoFactor\`, and only the operations that say so are available; all others that need a
token return 403 \`TWO_FACTOR_REQUIRED\`. Call \`POST /api/profile/2fa/setup\`, \`POST /api/profile/2fa/enable\`, then \`POST /api/auth/refresh\`.

**Errors** have one shape: \`{ statusCode, code, message, errors?, details?, requestId }\`. \`code\` is stable; \`errors\`
names the violations of a request at once, up to 50 of them, and names that a request made up by their first 64
characters. An error is smaller than 16 KB.

**Bodies.** JSON may have 100 KB and ten seconds to arrive, a form 26 MB and five minutes; then the answer is 413 or 408.

**Lists** take \`page\`, \`pageSize\`, \`sort\`, \`order\` and, where their operation names it, \`search\`; they answer
\`{ data, total, page, pageSize }\`.

**Changes** (\`PATCH\`) leave as it is what they do not name; one that names nothing is answered and writes nothing.

**Organizations.** A session acts in one organization, which its access token names; \`POST /api/auth/organization\`
switches. A platform administrator acts in none and names one with \`X-Organization-Id\`. Roles are given for the whole
organization or in a unit, and then reach that unit and everything below it. Changes of roles, units and memberships
reach an access token at its next refresh.

**Headers.** Send \`X-Request-Id\` (1 to 128 letters, digits, dots, hyphens, underscores) to find a request again in the logs;
it is echoed, or replaced by a new one. \`X-Organization-Id\`, \`X-Filter-Unit\` and \`X-Filter-Member\` hold comma-separated
ids, at most 50; the first is refused with a 403 from anybody but platform administrators.`;
