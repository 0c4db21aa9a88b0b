/** What an app may do by each scope. The scopes of areas are in the areas' own texts. */
export const scopeTexts = {
  "organization:read": "See the organization and its figures",
  "roles:read": "See roles",
  "billing:read": "See the plan and its usage",
  "units:read": "See units",
  "units:write": "Create, rename and delete units",
  "members:read": "See members, their roles and their email addresses",
  "invitations:read": "See invitations",
  "events:read": "Read events",
  "audit:read": "Read the audit log",
  "helpdesk:read": "Read the tickets that you may answer",
  "helpdesk:write": "Reply to tickets and change their status",
} as const;

/** What an app may do by a scope that the console does not know. */
export const generalScopeTexts = {
  see: "See: {entity}",
  change: "Change: {entity}",
} as const;
