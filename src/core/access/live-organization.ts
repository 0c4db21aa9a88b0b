import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";

/** Returns an organization that is not deleted. @throws notFound */
export async function findLiveOrganization(db: Queryable, id: string) {
  const [organization] = await access.findLiveOrganization.run({ id }, db);
  if (organization === undefined) throw notFound();
  return organization;
}
