import { permissionNames } from "../access/catalog.ts";
import { type ConfirmedPermissions, EffectivePermissions } from "../access/effective-permissions.ts";
import { permissionNotHeld } from "../access/errors.ts";
import { loadGrantsOfPerson } from "../access/grants.ts";
import type { OrganizationCall, Tx } from "../context.ts";

/**
 * The places of a unit or person before (`from`) and after (`to`) a change; null is the whole organization. A
 * permission held in one of these places covers the unit or person.
 */
type Places = { from: (string | null)[]; to: (string | null)[] };

/**
 * Checks that moving a unit or linking a person gives the caller, the person behind the caller and that person's
 * service accounts no permission over it that the caller does not hold now (rules 12.10).
 * @throws permissionNotHeld
 */
export async function assertNoPrivilegeEscalation(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  places: Places,
): Promise<void> {
  if (await gainsPermission(tx, permissions, places)) throw permissionNotHeld();
}

/**
 * Whether a change of places gives a permission to the caller, the person behind the caller, or a service account
 * of that person. A permission is gained if it is held at one of the new places and at none of the old ones, and
 * the caller does not hold it at an old place either. Service accounts count, because a person could split
 * permissions among them and let one make a change by which another gains (confused deputy). Call under the
 * organization's lock.
 */
export async function gainsPermission(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  { from, to }: Places,
): Promise<boolean> {
  const { actor, organizationId, db } = tx;
  // A permission for the whole organization is held at every old place too, and a platform administrator holds all
  // permissions.
  if (actor.isPlatformAdmin || to.every((place) => place === null)) return false;
  const others = (await loadGrantsOfPerson(db, actor, organizationId)).map(
    (grants) => new EffectivePermissions([grants]),
  );
  const [caller, ...holders] = await permissions.loadPermissionsOfAll(others, [...from, ...to], db);
  return permissionNames().some((permission) => {
    const isHeldAt = (holds: typeof caller, places: Places["to"]) =>
      places.some((place) => holds([permission], place));
    return (
      !isHeldAt(caller, from) &&
      [caller, ...holders].some((holds) => isHeldAt(holds, to) && !isHeldAt(holds, from))
    );
  });
}
