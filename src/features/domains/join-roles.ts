import type { Permission } from "#kit";

/** What nobody gets by joining: what manages people, keys, and the organization (rules 40.1). */
const ENTITIES = new Set([
  "Invitations",
  "ServiceAccounts",
  "ApiKeys",
  "SingleSignOn",
  "Webhooks",
  "Billing",
  "Support",
  "LogStreams",
  "ConnectedApps",
]);
const READABLE = new Set(["Members", "Roles"]);

/** Whether people may not get a permission by joining. Names of other features are allowed. */
export function isTooMuchForJoining(permission: Permission | (string & {})): boolean {
  const [entity = "", action = ""] = permission.split(".");
  if (permission === "Organization.Update") return true;
  return ENTITIES.has(entity) || (READABLE.has(entity) && action !== "Read");
}
