import * as events from "#sql/effects";
import type { Tx } from "../context.ts";

/** What can happen (rules 16.4, 16.5). */
export type AuditAction =
  | "LOGIN_SUCCEEDED"
  | "LOGIN_FAILED"
  | "REFRESH_TOKEN_REUSED"
  | "USER_REGISTERED"
  | "EMAIL_VERIFIED"
  | "PASSWORD_CHANGED"
  | "PASSWORD_RESET"
  | "TWO_FACTOR_ENABLED"
  | "TWO_FACTOR_DISABLED"
  | "TWO_FACTOR_RECOVERY_CODE_USED"
  | "TWO_FACTOR_RECOVERY_CODES_REGENERATED"
  | "SESSION_REVOKED"
  | "SIGN_IN_METHOD_ADDED"
  | "SIGN_IN_METHOD_REMOVED"
  | "PLATFORM_ADMIN_GRANTED"
  | "PLATFORM_ADMIN_REVOKED"
  | "USER_DELETED"
  | "ORGANIZATION_CREATED"
  | "ORGANIZATION_DELETED"
  | "ORGANIZATION_UPDATED"
  | "ORGANIZATION_STATUS_CHANGED"
  | "ORGANIZATION_PLAN_CHANGED"
  | "SUBSCRIPTION_CHANGED"
  | "ORGANIZATION_SWITCHED"
  | "UNIT_CREATED"
  | "UNIT_UPDATED"
  | "UNIT_DELETED"
  | "ROLE_CREATED"
  | "ROLE_UPDATED"
  | "ROLE_DELETED"
  | "MEMBER_ROLES_CHANGED"
  | "MEMBER_UNITS_CHANGED"
  | "MEMBER_REMOVED"
  | "MEMBER_LEFT"
  | "USER_INVITED"
  | "USER_INVITATION_RESENT"
  | "USER_INVITATION_REVOKED"
  | "USER_INVITATION_ACCEPTED"
  | "HELPDESK_TICKET_STATUS_CHANGED"
  | "HELPDESK_TICKET_DELETED";

/** What an event happened to, and so whom it is about: that decides which administrators of units may read it. */
export type Target =
  | { type: "user" | "session" | "organization" | "unit" | "role" | "subscription"; id: string }
  /** With the units that it names; null is the whole organization. */
  | { type: "invitation"; id: string; unitIds: (string | null)[] }
  | { type: "ticket"; id: string; reporterId: string | null };

type Event = {
  /** Who did it; the caller where left out. */
  actorId?: string | null;
  target?: Target | null;
  organizationId?: string | null;
  /** The units of an invitation whose id is in the metadata; null is the whole organization. */
  mentions?: (string | null)[];
  /** Before and after, names. Never a password or a token. */
  metadata?: Record<string, unknown>;
};

/**
 * Writes an event in the transaction of its change: no event, no change (rules 16.2). It travels with what comes after,
 * the commit at the latest, which fails as it does.
 */
export async function audit(tx: Tx, action: AuditAction, event: Event): Promise<void> {
  await events.insertAuditEvent.run(
    {
      action,
      actorId: event.actorId === undefined ? (tx.actor?.userId ?? null) : event.actorId,
      targetType: event.target?.type ?? null,
      targetId: event.target?.id ?? null,
      organizationId: event.organizationId ?? null,
      metadata: (event.metadata ?? {}) as never,
      ip: tx.ip,
      requestId: tx.requestId,
      ...subjectOf(event.target ?? null),
      mentionedUnitIds: event.mentions === undefined ? null : unitsOf(event.mentions),
    },
    tx.db.unawaited,
  );
}

/** No sign-in waits longer for its event: the table may be locked. */
const BEST_EFFORT_MS = 1_000;

/** Whom an event is about (rules 16.14). */
function subjectOf(target: Target | null) {
  const nobody = { subjectUserId: null, subjectUnitIds: [] as string[], isAboveUnits: false };
  switch (target?.type) {
    case "user":
      return { ...nobody, subjectUserId: target.id };
    case "unit":
      return { ...nobody, subjectUnitIds: [target.id] };
    case "ticket":
      return { ...nobody, subjectUserId: target.reporterId, isAboveUnits: target.reporterId === null };
    case "invitation": {
      const subjectUnitIds = unitsOf(target.unitIds);
      return { ...nobody, subjectUnitIds: subjectUnitIds ?? [], isAboveUnits: subjectUnitIds === null };
    }
    case "role":
    case "organization":
    case "subscription":
      return { ...nobody, isAboveUnits: true };
    default:
      return nobody;
  }
}

/** The distinct units of an invitation; null where it is for the whole organization. */
const unitsOf = (unitIds: (string | null)[]): string[] | null =>
  unitIds.includes(null) ? null : [...new Set(unitIds.flatMap((id) => id ?? []))];

/** The same for the few events that must not stop what they tell of (logins, token reuse): a failure is logged. */
export async function auditBestEffort(tx: Tx, action: AuditAction, event: Event): Promise<void> {
  const failure = await tx.db.attempt(() => audit(tx, action, event), { withinMs: BEST_EFFORT_MS });
  if (failure !== null)
    tx.app.log.error("audit event not written", { err: failure, requestId: tx.requestId, action });
}
