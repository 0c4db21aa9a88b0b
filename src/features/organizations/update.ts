import {
  assertHeldEverywhere,
  audit,
  authorize,
  event,
  type OrganizationCall,
  type Tx,
  transaction,
  validationFailed,
  violatedConstraint,
} from "#kit";
import * as queries from "#sql/organizations";
import { findAssignableRoles } from "../roles/read.ts";
import { slugTaken } from "./errors.ts";
import { findOrganization } from "./read.ts";

export type OrganizationChange = {
  name?: string | undefined;
  slug?: string | undefined;
  defaultRoleId?: string | null | undefined;
};

/**
 * Changes the active organization. A new default role grants its permissions to all future members, so the caller
 * must hold them for the whole organization.
 * @throws validationFailed, permissionNotHeld, slugTaken
 */
export async function updateOrganization(call: OrganizationCall, change: OrganizationChange) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Organization.Update");
    if (typeof change.defaultRoleId === "string") {
      const { defaultRoleId } = change;
      const role = (await findAssignableRoles(tx.db, organizationId, [defaultRoleId])).get(defaultRoleId);
      if (role === undefined) {
        const message = "defaultRoleId must be an existing role";
        throw validationFailed([{ path: "defaultRoleId", message }]);
      }
      const current = await findOrganization(tx.db, organizationId);
      if (current.defaultRoleId !== defaultRoleId) assertHeldEverywhere(permissions, role.permissions);
    }
    return applyChange(tx, organizationId, change);
  });
}

/**
 * Writes changed fields of an organization, with the audit event. Call under the organization's lock.
 * @throws notFound, slugTaken
 */
export async function applyChange(tx: Tx, id: string, change: OrganizationChange) {
  const organization = await findOrganization(tx.db, id);
  const { name, slug, defaultRoleId } = organization;
  const before = { name, slug, defaultRoleId };
  const after = {
    name: change.name ?? name,
    slug: change.slug ?? slug,
    defaultRoleId: change.defaultRoleId === undefined ? defaultRoleId : change.defaultRoleId,
  };
  const changed = (Object.keys(before) as (keyof typeof before)[]).filter(
    (key) => before[key] !== after[key],
  );
  if (changed.length === 0) return organization;
  await queries.updateOrganization.run({ id, ...after }, tx.db).catch((failure) => {
    throw violatedConstraint(failure) === "organizations_slug_unique" ? slugTaken() : failure;
  });
  const pick = (one: typeof before) => Object.fromEntries(changed.map((key) => [key, one[key]]));
  await audit(tx, "ORGANIZATION_UPDATED", {
    organizationId: id,
    target: { type: "organization", id },
    metadata: { from: pick(before), to: pick(after) },
  });
  const object = await findOrganization(tx.db, id);
  const reach = "organization";
  await event(tx, "organization.updated", { organizationId: id, id, object, previous: pick(before), reach });
  return object;
}
