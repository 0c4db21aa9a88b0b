import type { z } from "zod";
import type * as queries from "#sql/service-accounts";
import { type AssignmentRows, assignmentsFrom, presentAssignment } from "../members/present.ts";
import type { ApiKey, ServiceAccount } from "./schemas.ts";

type AccountRow = Awaited<ReturnType<typeof queries.findServiceAccount.run>>[number];
type KeyRow = Awaited<ReturnType<typeof queries.findApiKey.run>>[number];

/** Converts a service account to the API's form. */
export const presentServiceAccount = (row: AccountRow): z.output<typeof ServiceAccount> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  enabled: row.isEnabled,
  assignments: assignmentsFrom(row.assignments as AssignmentRows).map((one) => presentAssignment(one)),
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
