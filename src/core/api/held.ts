import type { ApiError } from "../../platform/errors.ts";
import { type Access, type Actor, actingAppOf } from "../access/access.ts";
import { type EffectivePermissions, TokenPermissions } from "../access/effective-permissions.ts";
import { grantsOf, loadGrants } from "../access/grants.ts";
import type { Service } from "../context.ts";

type Needed = Exclude<Access, string>;

/** Whether the permissions are enough for a route; for others' records a service account needs the permission for them. */
export const isHeld = (
  permissions: EffectivePermissions,
  { permission: own, any, organizationWide }: Needed,
  { type }: Pick<Actor, "type">,
): boolean => {
  const permission = type === "service_account" && any !== undefined ? any : own;
  return organizationWide === undefined
    ? permissions.holdsAnywhere(permission)
    : permissions.holdsEverywhere([permission]);
};

/**
 * Returns the error for a permission that an app lacks although its person holds it: it names the missing scope. Null if the
 * person does not hold it, or the caller is no app.
 */
export function scopeMissing(access: Needed, actor: Actor): ApiError | null {
  const app = actingAppOf(actor);
  if (app === null) return null;
  const held = grantsOf(app.held);
  if (held === null || !isHeld(new TokenPermissions([held]), access, actor)) return null;
  return app.scopeMissing(access.permission);
}

/** Returns what a caller holds in its organization at this moment; for an app within its grant. */
export async function permissionsOf(actor: Actor, { db }: Pick<Service, "db">): Promise<TokenPermissions> {
  const organizationId = actor.claims.organization?.id ?? "";
  return new TokenPermissions([grantsOf(actor.claims) ?? (await loadGrants(db, actor, organizationId))]);
}
