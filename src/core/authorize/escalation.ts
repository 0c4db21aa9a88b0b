import { permissionNames } from "../access/catalog.ts";
import { type ConfirmedPermissions, EffectivePermissions } from "../access/effective-permissions.ts";
import { permissionNotHeld } from "../access/errors.ts";
import { loadGrantsOfPerson } from "../access/grants.ts";
import type { OrganizationCall, Tx } from "../context.ts";

/** Where a permission covers a unit or a person before (`from`) and after (`to`) a change; null is the whole organization. */
type Places = { from: (string | null)[]; to: (string | null)[] };

/**
 * Checks that moving a unit or linking a person gives nobody on the caller's side more permissions over it than the caller
 * holds now (rules 12.10).
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
 * Whether the caller, the person behind the caller, or a service account of that person holds a permission at one of the
 * new places and at none of the old ones, while the caller holds it at none of the old ones either. A person could
 * otherwise split what they hold among service accounts, and let one of them make a change that another one gains by
 * (confused deputy). The caller must hold the organization's lock.
 */
export async function gainsPermission(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  { from, to }: Places,
): Promise<boolean> {
  const { actor, organizationId, db } = tx;
  // A permission for the whole organization is held at every old place too, and a platform administrator holds everything.
  if (actor.isPlatformAdmin || to.every((place) => place === null)) return false;
  const others = (await loadGrantsOfPerson(db, actor, organizationId)).map(
    (grants) => new EffectivePermissions([grants]),
  );
  const [caller, ...holders] = await permissions.loadPermissionsOfAll(others, [...from, ...to], db);
  return permissionNames.some((permission) => {
    const isHeldAt = (holds: typeof caller, places: Places["to"]) =>
      places.some((place) => holds([permission], place));
    return (
      !isHeldAt(caller, from) &&
      [caller, ...holders].some((holds) => isHeldAt(holds, to) && !isHeldAt(holds, from))
    );
  });
}
