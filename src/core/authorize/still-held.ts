import * as access from "#sql/access";
import type { Permission } from "../access/catalog.ts";
import { EffectivePermissions } from "../access/effective-permissions.ts";
import { forbidden } from "../access/errors.ts";
import { loadGrants } from "../access/grants.ts";
import type { OrganizationCall, SignedInCall } from "../context.ts";

/**
 * Checks in the database that the caller still holds a permission in all places that the token names. For work that
 * takes longer than a request, such as an export.
 * @throws forbidden
 */
export async function assertStillHeld(call: OrganizationCall, permission: Permission): Promise<void> {
  const { actor, organizationId, permissions } = call;
  if (actor.isPlatformAdmin) return assertStillPlatformAdminNow(call);
  const now = new EffectivePermissions([await loadGrants(call.db, { userId: actor.userId, organizationId })]);
  const places = permissions.roots(permission) ?? [null];
  const holds = await now.loadPermissionsAt(places, call.db);
  if (!places.every((place) => holds([permission], place))) throw forbidden();
}

/**
 * Checks in the database, outside of a transaction, that the caller is still a platform administrator. @throws
 * forbidden
 */
export async function assertStillPlatformAdminNow({ db, actor }: SignedInCall): Promise<void> {
  const { userId: id, sessionId } = actor;
  const [admin] = await access.findPlatformAdmin.run({ id, sessionId }, db);
  if (admin === undefined) throw forbidden();
}
