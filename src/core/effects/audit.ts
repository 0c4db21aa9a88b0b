import * as events from "#sql/effects";
import type { TransactionHandle } from "../../platform/db/open-transaction.ts";
import type { Call, Tx } from "../context.ts";

/** The audited actions (rules 16.4, 16.5). */
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

/** The object of an event. It determines whom the event is about, and so which unit administrators may read it. */
export type Target =
  | { type: "user" | "session" | "organization" | "unit" | "role" | "subscription"; id: string }
  /** With the units that it names; null is the whole organization. */
  | { type: "invitation"; id: string; unitIds: (string | null)[] }
  | { type: "ticket"; id: string; reporterId: string | null };

type Event = {
  /** Who did it; defaults to the caller. */
  actorId?: string | null;
  target?: Target | null;
  organizationId?: string | null;
  /** The units of an invitation whose id is in the metadata; null is the whole organization. */
  mentions?: (string | null)[];
  /** Such as old and new values. Never a password or a token. */
  metadata?: Record<string, unknown>;
};

/**
 * Writes an event in the transaction of its change: no event, no change (rules 16.2). The statement is pipelined with the
 * next ones, at the latest with COMMIT; if it fails, the transaction fails.
 */
export async function audit(tx: Tx, action: AuditAction, event: Event): Promise<void> {
  await events.insertAuditEvent.run(rowOf(tx, action, event), tx.db.unawaited);
}

/** A sign-in waits no longer than this for its event: the table may be locked. */
const BEST_EFFORT_MS = 1_000;
/** Including the wait for a free connection, while many users sign in. */
const BEST_EFFORT_TOTAL_MS = 3_000;

/** The events that must not stop what they tell of. */
type BestEffortAction = "LOGIN_SUCCEEDED" | "LOGIN_FAILED" | "REFRESH_TOKEN_REUSED";

/**
 * Writes one of the few events whose failure must not fail the action (logins, token reuse), in its own transaction, and
 * counts it for the metrics. Any failure, such as an unavailable database, is logged.
 */
export async function auditBestEffort(call: Call, action: BestEffortAction, event: Event): Promise<void> {
  countSignIn(call, action, event);
  try {
    const write = async (db: TransactionHandle) => {
      // The server's own limit, because it would wait for a lock even after the connection was closed.
      await db.unawaited.query(`SET LOCAL statement_timeout = ${BEST_EFFORT_MS}`, []);
      await events.insertAuditEvent.run(rowOf(call, action, event), db.unawaited);
    };
    await call.app.db.begin(write, { untilMs: performance.now() + BEST_EFFORT_TOTAL_MS });
  } catch (err) {
    call.app.log.error("audit event not written", { err, requestId: call.requestId, action });
  }
}

/** The same after the transaction has committed, before the response is sent. */
export function auditAfterCommit(tx: Tx, action: BestEffortAction, event: Event): void {
  tx.afterCommit.push(() => auditBestEffort(tx, action, event));
}

function countSignIn({ app }: Call, action: BestEffortAction, { metadata }: Event): void {
  const outcome = action === "LOGIN_SUCCEEDED" ? "succeeded" : String(metadata?.reason);
  if (action === "REFRESH_TOKEN_REUSED") app.meter.count("refresh_tokens_reused_total");
  else app.meter.count("sign_ins_total", { outcome });
}

function rowOf(call: Call, action: AuditAction, { actorId, target = null, ...event }: Event) {
  return {
    action,
    actorId: actorId === undefined ? (call.actor?.userId ?? null) : actorId,
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    organizationId: event.organizationId ?? null,
    metadata: (event.metadata ?? {}) as never,
    ip: call.ip,
    requestId: call.requestId,
    ...subjectOf(target),
    mentionedUnitIds: event.mentions === undefined ? null : unitsOf(event.mentions),
  };
}

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
