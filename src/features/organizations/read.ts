import type { z } from "zod";
import { notFound, type OrganizationCall, type Queryable, type SignedInCall } from "#kit";
import * as queries from "#sql/organizations";
import { listOwnOrganizations } from "../../core/accounts/memberships.ts";
import { effectivePlans, productFeaturesOf } from "../../core/plans/effective-plan.ts";
import type { Organization, OwnOrganization } from "./schemas.ts";

/** Returns the active organization. @throws notFound if it has been deleted since the token was signed */
export const getOrganization = ({ db, organizationId }: OrganizationCall) =>
  findOrganization(db, organizationId);

/** Finds an organization that is not deleted. @throws notFound */
export async function findOrganization(db: Queryable, id: string): Promise<z.output<typeof Organization>> {
  const [found] = await queries.findOrganization.run({ id }, db);
  if (found === undefined) throw notFound();
  return presentOrganization(found);
}

type StoredOrganization = Awaited<ReturnType<typeof queries.findOrganization.run>>[number];

export const presentOrganization = (row: StoredOrganization): z.output<typeof Organization> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  status: row.status,
  defaultRoleId: row.defaultRoleId,
  createdAt: row.createdAt.toISOString(),
});

/** Returns every organization of the caller, including suspended ones. */
export async function listMyOrganizations({
  app,
  db,
  actor,
}: SignedInCall): Promise<z.output<typeof OwnOrganization>[]> {
  const rows = await listOwnOrganizations(db, actor.userId);
  // Without features of a product there is nothing to read the plans for.
  const plans =
    productFeaturesOf(null).length === 0
      ? null
      : await effectivePlans(
          app,
          db,
          rows.map(({ id }) => id),
        );
  return rows.map(({ id, name, slug, status, roles }) => ({
    id,
    name,
    slug,
    status,
    roles,
    current: id === actor.claims.organization?.id,
    features: productFeaturesOf(plans?.get(id)?.plan),
  }));
}
