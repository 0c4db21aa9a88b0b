import * as events from "#sql/audit";
import type { Tx } from "../db/transaction.ts";

/** What can happen (contract 5). */
export type AuditAction =
  | "LOGIN_SUCCEEDED"
  | "LOGIN_FAILED"
  | "REFRESH_TOKEN_REUSED"
  | "USER_REGISTERED"
  | "EMAIL_VERIFIED"
  | "PASSWORD_RESET"
  | "PLATFORM_ADMIN_GRANTED";

type Event = {
  /** Who did it; the caller where left out. */
  actorId?: string | null;
  target?: { type: "user" | "session"; id: string } | null;
  organizationId?: string | null;
  /** Before and after, names. Never a password or a token. */
  metadata?: Record<string, unknown>;
};

/** Writes an event in the transaction of its change: no event, no change (specification 6.1). */
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
    },
    tx.db,
  );
}

/** The same for the few events that must not stop what they tell of (logins, token reuse): a failure is logged. */
export async function auditBestEffort(tx: Tx, action: AuditAction, event: Event): Promise<void> {
  const failure = await tx.db.attempt(() => audit(tx, action, event));
  if (failure !== null)
    tx.app.log.error("audit event not written", { err: failure, requestId: tx.requestId, action });
}
