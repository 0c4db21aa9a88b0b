import type { z } from "zod";
import {
  type AuthenticatedCall,
  audit,
  auditEach,
  type OrganizationCall,
  type SignedInCall,
  transaction,
} from "#kit";
import { assertStillHeld, assertStillPlatformAdminNow } from "#kit/inside";
import * as events from "#sql/audit";
import { exportEvents } from "./export.ts";
import type { AuditExportQuery, PlatformAuditExportQuery } from "./schemas.ts";
import { visibilityInOrganization, visibilityOnPlatform } from "./visibility.ts";

/**
 * Returns the active organization's audit events as a download. If a platform administrator exports them, the
 * export is recorded in the audit log of that organization.
 * @throws forbidden if the permission is no longer held
 */
export async function exportOrganizationEvents(
  call: OrganizationCall,
  query: z.output<typeof AuditExportQuery>,
): Promise<Response> {
  const visible = await visibilityInOrganization(call, query);
  const response = await exportEvents(call, query, visible, () => assertStillHeld(call, "Audit.Read"));
  if (call.actor.isPlatformAdmin) await recordExport(call, [call.organizationId], query.format);
  return response;
}

/**
 * Returns the audit events of all organizations as a download for platform administrators. The export is recorded
 * in the organizations that the filters name.
 * @throws forbidden if the caller is no longer a platform administrator
 */
export async function exportPlatformEvents(
  call: SignedInCall,
  query: z.output<typeof PlatformAuditExportQuery>,
  named: string[] | null,
): Promise<Response> {
  const visible = await visibilityOnPlatform(call, query, named);
  const response = await exportEvents(call, query, visible, () => assertStillPlatformAdminNow(call));
  const { organizationId, organizations } = visible;
  await recordExport(call, organizationId === null ? organizations : [organizationId], query.format);
  return response;
}

/**
 * Records that a platform administrator exported events: once in each organization of the filters, or once without an
 * organization for all of them.
 */
async function recordExport(
  call: AuthenticatedCall,
  named: string[] | null,
  format: "csv" | "ndjson",
): Promise<void> {
  const metadata = { format };
  await transaction(call, async (tx) => {
    const found = named === null ? [] : await events.listOrganizationsByIds.run({ ids: named }, tx.db);
    if (found.length === 0) return audit(tx, "AUDIT_EVENTS_EXPORTED", { target: null, metadata });
    const each = found.map(({ id }) => ({
      organizationId: id,
      target: { type: "organization", id } as const,
      metadata,
    }));
    return auditEach(tx, "AUDIT_EVENTS_EXPORTED", each);
  });
}
