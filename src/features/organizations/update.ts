import {
  assertHeldEverywhere,
  audit,
  authorize,
  type Config,
  changedFields,
  endOf,
  event,
  type OrganizationCall,
  type Tx,
  transaction,
  type Violation,
  validationFailed,
  violatedConstraint,
} from "#kit";
import { withEndedApps, withoutUndefined } from "#kit/inside";
import * as queries from "#sql/organizations";
import type { AppPolicy } from "../../core/access/app-operator.ts";
import { findAssignableRoles } from "../roles/read.ts";
import { slugTaken } from "./errors.ts";
import { findOrganization, findStoredOrganization, presentOrganization } from "./read.ts";

export type OrganizationChange = {
  name?: string | undefined;
  slug?: string | undefined;
  defaultRoleId?: string | null | undefined;
  connectedApps?: AppPolicy | null | undefined;
};

/** Says that the policy about apps cannot be changed while nobody may connect apps. */
export const policyViolations = ({ oauth }: Pick<Config, "oauth">, policy: unknown): Violation[] =>
  oauth || policy === undefined
    ? []
    : [{ path: "connectedApps", message: "connectedApps cannot be changed on this service" }];

/**
 * Changes the active organization. A new default role grants its permissions to all future members, so the caller
 * must hold them for the whole organization.
 * @throws validationFailed, permissionNotHeld, slugTaken
 */
export async function updateOrganization(call: OrganizationCall, change: OrganizationChange) {
  const violations = policyViolations(call.app.config, change.connectedApps);
  if (violations.length > 0) throw validationFailed(violations);
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
      const current = await findOrganization(tx, organizationId);
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
  const stored = await findStoredOrganization(tx, id);
  const { name, slug, defaultRoleId } = stored;
  const connectedApps = stored.connectedApps as AppPolicy | null;
  const before = { name, slug, defaultRoleId, connectedApps };
  const after = { ...before, ...withoutUndefined(change) };
  const organization = presentOrganization(stored, tx.app);
  const changed = changedFields(before, after);
  if (changed === null) return organization;
  await queries.updateOrganization.run({ id, ...after }, tx.db).catch((failure) => {
    throw violatedConstraint(failure) === "organizations_slug_unique" ? slugTaken() : failure;
  });
  const endedApps = "connectedApps" in changed.to ? await endOf("uncoveredApps", tx, id) : 0;
  await audit(tx, "ORGANIZATION_UPDATED", {
    organizationId: id,
    target: { type: "organization", id },
    metadata: { ...changed, ...withEndedApps(endedApps) },
  });
  const object = await findOrganization(tx, id);
  const previous = changedFields(organization, object)?.from;
  await event(tx, "organization.updated", {
    organizationId: id,
    id,
    object,
    previous,
    reach: "organization",
  });
  return object;
}
