import type { z } from "zod";
import type * as queries from "#sql/service-accounts";
import { presentAssignment } from "../members/present.ts";
import type { ApiKey, ServiceAccount } from "./schemas.ts";

type AccountRow = Awaited<ReturnType<typeof queries.findServiceAccount.run>>[number];
type KeyRow = Awaited<ReturnType<typeof queries.findApiKey.run>>[number];
/** The assignments of a service account in the form in which queries aggregate them. */
type Gathered = [roleId: string, roleName: string, unitId: string | null, unitName: string | null][];

/** Converts a service account to the API's form. */
export const presentServiceAccount = (row: AccountRow): z.output<typeof ServiceAccount> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  enabled: row.isEnabled,
  assignments: ((row.assignments ?? []) as unknown as Gathered).map(([roleId, roleName, unitId, unitName]) =>
    presentAssignment({ roleId, roleName, unitId, unitName }),
  ),
  keyCount: row.keyCount,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  createdBy: row.createdById === null ? null : { id: row.createdById, email: row.creatorEmail ?? "" },
  createdAt: row.createdAt.toISOString(),
});

/** Converts a key's record to the API's form. The key itself is not included. */
export const presentKey = (row: KeyRow): z.output<typeof ApiKey> => ({
  id: row.id,
  name: row.name,
  start: row.start,
  status: row.status as z.output<typeof ApiKey>["status"],
  allowedIps: row.allowedIps,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  lastUsedIp: row.lastUsedIp,
  replacedById: row.replacedById,
  createdBy:
    row.createdById === null
      ? null
      : { id: row.createdById, email: row.creatorEmail ?? "", member: row.isCreatorMember },
  createdAt: row.createdAt.toISOString(),
  revokedAt: row.revokedAt?.toISOString() ?? null,
});
