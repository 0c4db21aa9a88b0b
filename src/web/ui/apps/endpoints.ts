const ORGANIZATION = {
  list: "GET /api/organization/oauth-clients",
  create: "POST /api/organization/oauth-clients",
  update: "PATCH /api/organization/oauth-clients/{id}",
  remove: "DELETE /api/organization/oauth-clients/{id}",
  rotate: "POST /api/organization/oauth-clients/{id}/rotate-secret",
} as const;
const PLATFORM = {
  list: "GET /api/oauth-clients",
  create: "POST /api/oauth-clients",
  update: "PATCH /api/oauth-clients/{id}",
  remove: "DELETE /api/oauth-clients/{id}",
  rotate: "POST /api/oauth-clients/{id}/rotate-secret",
} as const;

/** Whose registered apps are shown: those of the organization, or those of the operator for every organization. */
export type AppOwner = "organization" | "platform";
export type AppEndpoints = typeof ORGANIZATION;

/** Returns the endpoints for the registered apps of an owner. Both have the same requests and responses, so one type stands for both. */
export const endpointsOf = (owner: AppOwner): AppEndpoints =>
  owner === "organization" ? ORGANIZATION : (PLATFORM as unknown as AppEndpoints);
