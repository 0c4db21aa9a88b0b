import * as access from "#sql/access";
import type { Permission } from "../access/catalog.ts";
import { EffectivePermissions } from "../access/effective-permissions.ts";
import { forbidden, unauthenticated } from "../access/errors.ts";
import { loadGrants } from "../access/grants.ts";
import type { AuthenticatedCall, OrganizationCall } from "../context.ts";

/**
 * Checks in the database that the caller still holds a permission in all places that the token names. For work that
 * takes longer than a request, such as an export.
 * @throws forbidden; unauthenticated if the API key has ended
 */
export async function assertStillHeld(call: OrganizationCall, permission: Permission): Promise<void> {
  const { actor, organizationId, permissions } = call;
  if (actor.isPlatformAdmin) return assertStillPlatformAdminNow(call);
  if (actor.type === "service_account") {
    const [key] = await access.findLiveApiKey.run({ keyId: actor.keyId }, call.db);
    if (key === undefined) throw unauthenticated();
  }
  const now = new EffectivePermissions([await loadGrants(call.db, actor, organizationId)]);
  const places = permissions.roots(permission) ?? [null];
  const holds = await now.loadPermissionsAt(places, call.db);
  if (!places.every((place) => holds([permission], place))) throw forbidden();
}

/**
 * Checks in the database, outside of a transaction, that the caller is still a platform administrator. @throws
 * forbidden
 */
export async function assertStillPlatformAdminNow({ db, actor }: AuthenticatedCall): Promise<void> {
  if (actor.type !== "user") throw forbidden();
  const { userId: id, sessionId } = actor;
  const [admin] = await access.findPlatformAdmin.run({ id, sessionId }, db);
  if (admin === undefined) throw forbidden();
}
