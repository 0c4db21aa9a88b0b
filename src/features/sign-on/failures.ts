import { type Call, memoizePerApp, Rate, type Tx } from "#kit";
import { auditBestEffort } from "#kit/inside";
import * as queries from "#sql/sso-sign-in";
import type { ConnectionKey, GroupsProblem } from "./groups.ts";
import { LIMITS } from "./limits.ts";
import type { Refused } from "./outcome.ts";

/** The codes of `lastError` of a connection, each with what its administrators read. */
const DETAILS = {
  PROVIDER_ERROR: "The provider did not answer, or its answer was not valid.",
  CLIENT_REFUSED: "The provider refused the client: check its id and its secret, which may have expired.",
  EMAIL_MISSING: "The provider sent no email address that an account can have.",
  EMAIL_NOT_VERIFIED: "The provider says that the email address is not verified.",
  DOMAIN_MISMATCH: "The address is not of a verified domain of the organization.",
  NOT_A_MEMBER:
    "The person is no member, and the connection adds no members by itself, or not this one again.",
  GROUPS_MISSING: "The provider sent no groups, or a reference instead of a list. Roles did not change.",
  GROUPS_TOO_MANY: "The provider sent more than 1,000 groups. Roles did not change.",
  ASSIGNMENTS_TOO_MANY: "The groups give more than 50 roles. Roles did not change.",
  NO_AUTH_TIME: "The provider did not say when the person last signed in there, or it was too long ago.",
} as const;
export type ErrorCode = keyof typeof DETAILS;

/** Failures of the provider in a row after which no more are counted. */
const MAX_FAILURES = 5;

const limitsOf = memoizePerApp(() => ({
  failures: new Rate(LIMITS.failedSignIns),
  /** The one event of an hour that says that further failures are not recorded. */
  limited: new Rate({ points: 1, perSeconds: LIMITS.failedSignIns.perSeconds }),
}));

/**
 * Stores a code of a connection for its administrators. Best effort: a failure to write it changes no outcome. What any browser can
 * bring about is not counted: a stranger could have the administrators mailed that the provider fails.
 */
export async function recordError(
  call: Call,
  id: string,
  code: ErrorCode,
  { isOfBrowser = false } = {},
): Promise<void> {
  const isProviders = !isOfBrowser && (code === "PROVIDER_ERROR" || code === "CLIENT_REFUSED");
  try {
    await queries.recordFailure.run(
      { id, code, detail: DETAILS[code], isProviders, max: MAX_FAILURES },
      call.db.writes,
    );
  } catch (err) {
    call.log.error("error of a connection not stored", { err, requestId: call.requestId, code });
  }
}

/** Like `recordError`, after the sign-in was committed. */
export function recordProblem(tx: Tx, id: string, problem: GroupsProblem): void {
  tx.afterCommit.push((db) => recordError({ ...tx, db }, id, problem));
}

type Reason = Lowercase<Exclude<Refused["refused"], "SSO_DISABLED" | "TOO_MANY_REQUESTS">>;

/** Records a refused sign-in for the organization (rules 44.7): the event, and the code if the connection shows it. */
export async function recordRefusal(
  call: Call,
  connection: ConnectionKey,
  { email }: { email: string | null },
  { refused, isEmailMissing = false }: Refused,
): Promise<void> {
  call.app.meter.count("sso_sign_ins_total", { outcome: refused.toLowerCase() });
  if (refused === "SSO_DISABLED" || refused === "TOO_MANY_REQUESTS") return;
  await auditFailure(call, connection, email, refused.toLowerCase() as Reason);
  const code = isEmailMissing ? "EMAIL_MISSING" : refused;
  if (code in DETAILS) await recordError(call, connection.id, code as ErrorCode);
}

/** Records a failure of the provider for the organization. */
export async function recordProviderFailure(
  call: Call,
  connection: ConnectionKey,
  code: ErrorCode,
  { isOfBrowser = false } = {},
): Promise<void> {
  call.app.meter.count("sso_sign_ins_total", { outcome: "provider_error" });
  await auditFailure(call, connection, null, code.toLowerCase() as "provider_error");
  await recordError(call, connection.id, code, { isOfBrowser });
}

async function auditFailure(
  call: Call,
  { id, organizationId }: ConnectionKey,
  email: string | null,
  reason: Reason | "provider_error" | "client_refused" | "no_auth_time",
): Promise<void> {
  const { failures, limited } = limitsOf(call.app);
  const isLimited = failures.count(id).isReached;
  if (isLimited && limited.count(id).isReached) return;
  await auditBestEffort(call, "SSO_SIGN_IN_FAILED", {
    actorId: null,
    organizationId,
    target: { type: "connection", id },
    metadata: {
      connectionId: id,
      email: isLimited ? null : email,
      reason: isLimited ? "limited" : reason,
    },
  });
}
