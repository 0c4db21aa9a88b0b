import type { z } from "zod";
import { type AuditEntry, fill } from "#kit";
import { auditActions, type Text, textOfProduct, theProduct } from "#kit/inside";
import type * as events from "#sql/audit";
import type { AuditEvent } from "./schemas.ts";

export type EventRow = Awaited<ReturnType<typeof events.listEvents.run>>[number];

/**
 * Converts an event to its response. `units` limits the metadata to entries of these units; null means no
 * restriction.
 */
export function presentEvent(row: EventRow, units: Set<string> | null): z.output<typeof AuditEvent> {
  const metadata = row.metadata as Metadata;
  // `audit` accepts only the metadata of the action, so a stored event has that metadata too.
  return {
    id: row.id,
    action: row.action,
    actor:
      row.actorId === null || row.actorEmail === null ? null : { id: row.actorId, email: row.actorEmail },
    actorId: row.actorId,
    actorType: row.actorId === null ? null : (row.actorType ?? "user"),
    serviceAccount:
      row.actorType === null ? null : { id: row.actorId, name: row.serviceAccountName, keyId: row.apiKeyId },
    client: row.clientId === null ? null : { id: row.clientId, name: row.clientName, grantId: row.grantId },
    targetType: row.targetType,
    targetId: row.targetId,
    organizationId: row.organizationId,
    metadata: units === null ? metadata : trimmed(row.action, metadata, row.mentionedUnitIds, units),
    ip: row.ip,
    requestId: row.requestId,
    time: row.time.toISOString(),
    product: row.isProduct,
    text: row.isProduct ? textOf(row, metadata) : null,
  } as z.output<typeof AuditEvent>;
}

/** Returns the text of an event that the product reported: that of the manifest, filled, or the name of a removed action. */
function textOf({ action, actorEmail, actorType, serviceAccountName }: EventRow, metadata: Metadata): Text {
  const text = textOfProduct("audit", action) ?? { en: action, el: action };
  const actor = actorType === null ? actorEmail : serviceAccountName;
  const { en, el } = theProduct()?.name ?? { en: action, el: action };
  return {
    en: fill(text.en, { ...metadata, actor: actor ?? en }),
    el: fill(text.el, { ...metadata, actor: actor ?? el }),
  };
}

type Metadata = Record<string, unknown>;
type Entry = { unitId?: string | null; roleName?: string };

/**
 * Removes entries without a unit or with a unit that is not visible, and the invitation if the viewer may not see
 * it.
 */
function trimmed(
  action: string,
  metadata: Metadata,
  mentioned: string[] | null,
  units: Set<string>,
): Metadata {
  const entry = (auditActions() as { [action: string]: AuditEntry })[action];
  // An action of a newer version, or of a feature that is gone: which parts belong to which units is not known.
  if (entry === undefined) return {};
  const trimmed = { ...metadata };
  const { places = [], mentions } = entry;
  for (const key of places) {
    const kept = ((metadata[key] ?? []) as Entry[]).filter(
      ({ unitId }) => unitId != null && units.has(unitId),
    );
    trimmed[key] = kept;
    if (key === "assignments" && "roles" in metadata)
      trimmed.roles = [...new Set(kept.map(({ roleName }) => roleName))];
  }
  const isMentionSeen = mentioned?.every((unit) => units.has(unit)) ?? false;
  if (mentions !== undefined && !isMentionSeen && trimmed[mentions] != null) delete trimmed[mentions];
  return trimmed;
}
