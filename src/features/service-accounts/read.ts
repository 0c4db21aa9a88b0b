import type { z } from "zod";
import {
  exactlyOne,
  inCatalogOrder,
  list,
  type MachineCall,
  notFound,
  type OrganizationCall,
  type Queryable,
  type Reach,
  unauthenticated,
  unrestricted,
} from "#kit";
import * as queries from "#sql/service-accounts";
import { withUnits } from "../../core/access/active-organization.ts";
import type { ApiKeyQuery } from "./key-schemas.ts";
import { presentKey, presentServiceAccount } from "./present.ts";
import type { OwnServiceAccount, ServiceAccountQuery } from "./schemas.ts";

/** Returns the service accounts whose assignments are all in the caller's reach. */
export async function listServiceAccounts(
  call: OrganizationCall,
  query: z.output<typeof ServiceAccountQuery>,
) {
  const { permissions, db, organizationId } = call;
  const { units } = await permissions.reach("ServiceAccounts.Read", db.lists);
  return list(queries.serviceAccounts, call, { ...query, organizationId, units }, presentServiceAccount);
}

type Place = Pick<OrganizationCall, "organizationId">;

/** Returns a service account whose assignments are all in the caller's reach. @throws notFound */
export async function getServiceAccount(call: OrganizationCall, id: string) {
  return presentServiceAccount(await findServiceAccount(call, await reachOfOne(call, id), id, call.db));
}

/** Returns the units, among those of a service account's assignments, in which the caller may read the account. */
function reachOfOne({ permissions, organizationId, db }: OrganizationCall, id: string): Promise<Reach> {
  const unitsOfAccount = async () =>
    (await queries.listUnitsOfServiceAccount.run({ id, organizationId }, db)).map(({ unitId }) => unitId);
  return permissions.reachAmong("ServiceAccounts.Read", unitsOfAccount, db);
}

/** Finds a service account whose assignments are all in the given reach. @throws notFound */
export async function findServiceAccount(
  { organizationId }: Place,
  { units }: Reach,
  id: string,
  db: Queryable,
) {
  const [found] = await queries.findServiceAccount.run({ id, organizationId, units }, db);
  if (found === undefined) throw notFound();
  return found;
}

const WRITTEN = { units: unrestricted("the caller has just written this service account") };

/**
 * Returns a service account that the caller has just written, even if the change moved it out of the caller's
 * reach.
 */
export const showServiceAccount = async (place: Place, id: string, db: Queryable) =>
  presentServiceAccount(await findServiceAccount(place, WRITTEN, id, db));

/** Returns a page of the keys of a service account in the caller's reach. @throws notFound */
export async function listKeys(
  call: OrganizationCall,
  serviceAccountId: string,
  query: z.output<typeof ApiKeyQuery>,
) {
  const { db, organizationId } = call;
  await findServiceAccount(call, await reachOfOne(call, serviceAccountId), serviceAccountId, db);
  return list(queries.apiKeys, call, { ...query, serviceAccountId, organizationId }, presentKey);
}

/** Finds a key of a service account. @throws notFound */
export async function findKey(
  { organizationId }: Place,
  { id, serviceAccountId }: { id: string; serviceAccountId: string },
  db: Queryable,
) {
  const [key] = await queries.findApiKey.run({ id, serviceAccountId, organizationId }, db);
  if (key === undefined) throw notFound();
  return key;
}

/** Returns the caller's service account and key, with the permissions in the form of an access token. */
export async function getOwnServiceAccount(call: MachineCall): Promise<z.output<typeof OwnServiceAccount>> {
  const { actor, organizationId, db } = call;
  const units = unrestricted("a key may read its own service account");
  const [[account], [key], { permissions, unitGrants }] = await Promise.all([
    queries.findServiceAccount.run({ id: actor.id, organizationId, units }, db),
    queries.findApiKey.run({ id: actor.keyId, serviceAccountId: actor.id, organizationId }, db),
    withUnits(actor.claims, db),
  ]);
  if (account === undefined || key === undefined) throw unauthenticated();
  return {
    serviceAccount: { id: account.id, name: account.name },
    organization: actor.claims.organization,
    key: presentKey(key),
    permissions: inCatalogOrder(permissions),
    unitGrants:
      unitGrants?.map((grant) => ({ ...grant, permissions: inCatalogOrder(grant.permissions) })) ?? null,
  };
}

/** Counts the service accounts of an organization that are not deleted, including disabled ones. */
export async function countServiceAccounts(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countLiveServiceAccounts.run({ organizationId }, db)).count;
}
