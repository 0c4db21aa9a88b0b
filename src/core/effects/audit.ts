import * as events from "#sql/effects";
import type { TransactionHandle } from "../../platform/db/open-transaction.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { type Actor, actingAppOf } from "../access/access.ts";
import type { Call, Tx } from "../context.ts";
import type { AllOf } from "../definitions/features.ts";
import {
  type AuditAction,
  type AuditMetadata,
  type AuditTargetType,
  type TargetKind,
  type TargetType,
  targetKinds,
  type UntargetedAction,
} from "./audit-entry.ts";

/**
 * The object that an audit event is about. Its kind determines whom the event affects, and so which unit administrators
 * may read it.
 */
type Concerned<Kind extends TargetKind> = Kind extends "person"
  ? { personId: string | null }
  : Kind extends "places"
    ? { unitIds: readonly (string | null)[] }
    : unknown;
type TargetOfType = {
  [Type in TargetType]: { type: Type; id: string } & Concerned<AllOf<"targets">[Type]>;
};
export type Target = TargetOfType[TargetType];
type TargetOf<Action extends AuditAction> =
  | TargetOfType[AuditTargetType<Action>]
  | (Action extends UntargetedAction ? null : never);

/** The data of an audit event. The metadata is optional if none of its properties is required. */
type Event<Action extends AuditAction> = {
  /** The actor; defaults to the caller. */
  actorId?: string | null;
  target: TargetOf<Action>;
  organizationId?: string | null;
  /** The units of an invitation whose id is in the metadata; null means the whole organization. */
  mentions?: (string | null)[];
} & (Record<string, never> extends AuditMetadata[Action]
  ? { metadata?: AuditMetadata[Action] }
  : { metadata: AuditMetadata[Action] });

/**
 * Writes an audit event in the transaction of the change that it records: no event, no change (rules 16.2).
 */
export const audit = <Action extends AuditAction>(
  tx: Tx,
  action: Action,
  event: Event<Action>,
): Promise<void> => insert([rowOf(tx, action, event)], tx.effects);

/** Writes several events of one action in one statement; otherwise like `audit`. */
export async function auditEach<Action extends AuditAction>(
  tx: Tx,
  action: Action,
  given: Event<Action>[],
): Promise<void> {
  if (given.length === 0) return;
  const rows = given.map((event) => rowOf(tx, action, event));
  await insert(rows, tx.effects);
}

async function insert(rows: object[], db: Queryable): Promise<void> {
  await events.insertAuditEvents.run({ given: { events: rows } as never }, db);
}

/** How long a sign-in waits for its audit event to be written, because the table may be locked. */
const BEST_EFFORT_MS = 1_000;
/**
 * How long writing an event may take, including the wait for a free connection, which may be long while many users
 * sign in.
 */
const BEST_EFFORT_TOTAL_MS = 3_000;

/** Audit events whose failure must not fail the action that they record. */
type BestEffortAction =
  | "LOGIN_SUCCEEDED"
  | "LOGIN_FAILED"
  | "REFRESH_TOKEN_REUSED"
  | "API_KEY_REFUSED"
  | "SSO_SIGN_IN_FAILED";

/**
 * Writes an audit event whose failure must not fail the action (sign-in, token reuse), in its own transaction, and
 * counts it for the metrics. A failure, such as an unavailable database, is logged.
 * @param isDue decides in that transaction whether the event is written
 */
export async function auditBestEffort<Action extends BestEffortAction>(
  call: Call,
  action: Action,
  event: Event<Action>,
  isDue: (db: Queryable) => Promise<boolean> = async () => true,
): Promise<void> {
  countSignIn(call, action, event.metadata);
  try {
    const write = async (db: TransactionHandle) => {
      // The server's own timeout. Without it, the statement would wait for a lock even after the connection was
      // closed.
      await db.pipelined.query(`SET LOCAL statement_timeout = ${BEST_EFFORT_MS}`, []);
      if (await isDue(db)) await insert([rowOf(call, action, event)], db.pipelined);
    };
    await call.db.begin(write, { deadlineAt: performance.now() + BEST_EFFORT_TOTAL_MS });
  } catch (err) {
    call.log.error("audit event not written", { err, requestId: call.requestId, action });
  }
}

/**
 * Writes an audit event whose failure must not fail the action, after the transaction was committed and before the
 * response is sent.
 */
export function auditAfterCommit<Action extends BestEffortAction>(
  tx: Tx,
  action: Action,
  event: Event<Action>,
): void {
  tx.afterCommit.push((db) => auditBestEffort({ ...tx, db }, action, event));
}

function countSignIn({ app }: Call, action: BestEffortAction, metadata: object = {}): void {
  const outcome = "reason" in metadata ? String(metadata.reason) : "succeeded";
  // These rejections are counted where they are decided, because only the first one in an hour is audited.
  if (outcome === "limited" || action === "API_KEY_REFUSED" || action === "SSO_SIGN_IN_FAILED") return;
  if (action === "REFRESH_TOKEN_REUSED") app.meter.count("refresh_tokens_reused_total");
  else app.meter.count("sign_ins_total", { outcome });
}

function rowOf<Action extends AuditAction>(call: Call | Tx, action: Action, event: Event<Action>) {
  const { actorId } = event;
  const target = event.target as Target | null;
  return {
    action,
    actorId: actorId === undefined ? idOf(call.actor) : actorId,
    ...machineOf(actorId === undefined ? call.actor : null),
    ...clientOf(call.actor),
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    organizationId: event.organizationId ?? null,
    metadata: { ...event.metadata, ...setupLinkOf(call.actor) },
    ip: call.ip,
    requestId: call.requestId,
    ...subjectOf(target),
    mentionedUnitIds: event.mentions === undefined ? null : unitsOf(event.mentions),
  };
}

/** A setup link is no actor: its events say in the metadata by which link, and who has it. */
const idOf = (actor: Actor | null): string | null =>
  actor === null || actor.type === "setup_link" ? null : actor.id;
const setupLinkOf = (actor: Actor | null) =>
  actor?.type === "setup_link" ? { setupLinkId: actor.id, setupEmail: actor.email } : {};

/** Returns the columns of an audit event for an actor that is a service account; nulls for a user. */
const machineOf = (actor: Actor | null) =>
  actor?.type === "service_account"
    ? { actorType: actor.type, apiKeyId: actor.keyId }
    : { actorType: null, apiKeyId: null };

/** Returns the columns of an audit event that name the app by which its request came; nulls without one (rules 46.70). */
function clientOf(actor: Actor | null) {
  const app = actingAppOf(actor);
  return {
    clientId: app?.clientId ?? null,
    clientName: app?.clientName ?? null,
    grantId: app?.grantId ?? null,
  };
}

/** Returns the user and the units that an audit event affects (rules 16.14). */
function subjectOf(target: Target | null) {
  const nobody = { subjectUserId: null, subjectUnitIds: [] as string[], isAboveUnits: false };
  if (target === null) return nobody;
  const { id, personId = null, unitIds = [] } = target as AnyTarget;
  switch (targetKinds()[target.type]) {
    case "user":
      return { ...nobody, subjectUserId: id };
    case "unit":
      return { ...nobody, subjectUnitIds: [id] };
    case "person":
      return { ...nobody, subjectUserId: personId, isAboveUnits: personId === null };
    case "places": {
      const subjectUnitIds = unitsOf(unitIds);
      return { ...nobody, subjectUnitIds: subjectUnitIds ?? [], isAboveUnits: subjectUnitIds === null };
    }
    case "organization":
      return { ...nobody, isAboveUnits: true };
    case "nobody":
      return nobody;
  }
}
type AnyTarget = { id: string; personId?: string | null; unitIds?: (string | null)[] };

/** Returns the distinct units of assignments; null if one is for the whole organization. */
const unitsOf = (unitIds: (string | null)[]): string[] | null =>
  unitIds.includes(null) ? null : [...new Set(unitIds.flatMap((id) => id ?? []))];
