import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { inetOf } from "../../platform/http/client-address.ts";
import type { MachineActor } from "./access.ts";
import { organizationOfRows } from "./active-organization.ts";

/** An API key that exists, with the permissions of its service account at this moment. */
export type FoundKey = {
  readonly id: string;
  readonly serviceAccountId: string;
  readonly organizationId: string;
  readonly start: string;
  readonly isRevoked: boolean;
  readonly isExpired: boolean;
  readonly isAddressAllowed: boolean;
  readonly isSuspended: boolean;
  /** The service account of the key; null if it is disabled or deleted, or if its organization is deleted. */
  readonly actor: MachineActor | null;
};

/**
 * Finds an API key by its digest. Nothing is cached, so every committed change of the key, its service account, the
 * roles and the organization is in effect on all instances. Records the use of the key, at most every ten minutes.
 */
export async function findApiKey(db: Queryable, digest: string, ip: string | null): Promise<FoundKey | null> {
  const rows = await access.verifyApiKey.run({ tokenHash: digest, ip: ip === null ? null : inetOf(ip) }, db);
  const [row] = rows;
  if (row === undefined) return null;
  const { keyId: id, serviceAccountId, organizationOfKey: organizationId, createdById } = row;
  const { organization, ...grants } = organizationOfRows(rows);
  return {
    id,
    serviceAccountId,
    organizationId,
    start: row.start,
    isRevoked: row.isRevoked,
    isExpired: row.isExpired,
    isAddressAllowed: row.isAddressAllowed,
    isSuspended: row.organizationStatus === "SUSPENDED",
    actor: organization && {
      type: "service_account",
      id: serviceAccountId,
      userId: null,
      keyId: id,
      personId: createdById ?? serviceAccountId,
      isPlatformAdmin: false,
      claims: { ...grants, organization },
    },
  };
}
