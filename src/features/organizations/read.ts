import type { z } from "zod";
import { type App, notFound, type OrganizationCall, type Queryable, type SignedInCall } from "#kit";
import * as queries from "#sql/organizations";
import type { AppPolicy } from "../../core/access/app-operator.ts";
import type { BlockCode } from "../../core/access/sign-on-errors.ts";
import { listOwnOrganizations } from "../../core/accounts/memberships.ts";
import { effectivePlans } from "../../core/plans/effective-plan.ts";
import { productFeaturesOf } from "../../core/plans/plan-file.ts";
import type { Organization, OwnOrganization } from "./schemas.ts";

/** Returns the active organization. @throws notFound if it has been deleted since the token was signed */
export const getOrganization = (call: OrganizationCall) => findOrganization(call, call.organizationId);

/** Finds an organization that is not deleted. @throws notFound */
export async function findOrganization(
  call: { app: Pick<App, "config">; db: Queryable },
  id: string,
): Promise<z.output<typeof Organization>> {
  return presentOrganization(await findStoredOrganization(call, id), call.app);
}

/** Finds the record of an organization that is not deleted. @throws notFound */
export async function findStoredOrganization(
  { db }: { db: Queryable },
  id: string,
): Promise<StoredOrganization> {
  const [found] = await queries.findOrganization.run({ id }, db);
  if (found === undefined) throw notFound();
  return found;
}

type StoredOrganization = Awaited<ReturnType<typeof queries.findOrganization.run>>[number];

export const presentOrganization = (
  row: StoredOrganization,
  { config }: Pick<App, "config">,
): z.output<typeof Organization> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  status: row.status,
  defaultRoleId: row.defaultRoleId,
  connectedApps: config.oauth ? ((row.connectedApps as AppPolicy | null) ?? config.appRules.apps) : "off",
  createdAt: row.createdAt.toISOString(),
});

/** Returns every organization of the caller, including suspended ones. */
export async function listMyOrganizations(call: SignedInCall): Promise<z.output<typeof OwnOrganization>[]> {
  const { app, db, actor } = call;
  const rows = await listOwnOrganizations(call);
  // Without features of a product there is nothing to read the plans for.
  const plans =
    productFeaturesOf(null).length === 0
      ? null
      : await effectivePlans(
          app,
          db,
          rows.map(({ id }) => id),
        );
  return rows.map(({ id, name, slug, status, roles, blockedBy, connectionId }) => ({
    id,
    name,
    slug,
    status,
    roles,
    current: id === actor.claims.organization?.id,
    features: productFeaturesOf(plans?.get(id)?.plan),
    blockedBy: blockedBy as BlockCode | null,
    connectionId,
  }));
}
