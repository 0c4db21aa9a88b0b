import { audit, type Call, notFound, type SignedInCall, transaction } from "#kit";
import * as access from "#sql/access";
import * as queries from "#sql/sso-sign-in";
import { findAccountOfSession } from "../../core/accounts/reauthenticate.ts";
import { lockSessionOf } from "../sessions/refresh.ts";
import type { Answer } from "./answer.ts";
import { type Authorization, beginForCaller } from "./begin.ts";
import { type Connection, findConnection, isAsItWas } from "./connection.ts";
import { recordProviderFailure } from "./failures.ts";

/** The maximum age of the person's authentication at the provider, in seconds. */
const MAX_AGE_SECONDS = 300;

/**
 * Starts the re-authentication of the caller by a connection.
 * @throws unauthenticated, also if the session has ended; notFound unless the session has a live proof by it; providerError
 */
export async function beginReauthentication(call: SignedInCall, id: string): Promise<Authorization> {
  const { userId, sessionId } = call.actor;
  await findAccountOfSession(call.db, call.actor);
  const connection = await findConnection(call.db, id);
  const [proof] = await queries.findProofOf.run({ userId, sessionId, connectionId: id }, call.db);
  if (connection === null || proof === undefined) throw notFound();
  return beginForCaller(call, connection, { kind: "reauthenticate", userId, sessionId });
}

type Again = { answer: Answer; userId: string; sessionId: string; cookie: string | null };

/**
 * Renews the proof by a connection of the session that asked for it (rules 44.6). The identity must be the one of the
 * session's proof, the browser that of the session, and the person must have signed in at the provider just now.
 */
export async function reauthenticateBy(
  call: Call,
  connection: Connection,
  { answer, userId, sessionId, cookie }: Again,
): Promise<"INVALID_STATE" | "PROVIDER_ERROR" | "SSO_DISABLED" | null> {
  const count = (outcome: "succeeded" | "failed") =>
    call.app.meter.count("reauthentications_total", { method: "connection", outcome });
  const { authenticatedAt, subject } = answer;
  if (authenticatedAt === null || authenticatedAt + MAX_AGE_SECONDS < Date.now() / 1000) {
    count("failed");
    await recordProviderFailure(call, connection, "NO_AUTH_TIME");
    return "PROVIDER_ERROR";
  }
  const { id: connectionId } = connection;
  const error = await transaction(call, async (tx) => {
    const session = await lockSessionOf(tx, cookie, userId);
    if (session?.sessionId !== sessionId) return "INVALID_STATE";
    if (!isAsItWas(await findConnection(tx.db, connectionId), connection.testedVersion))
      return "SSO_DISABLED";
    const [proof] = await queries.findProofOf.run({ userId, sessionId, connectionId }, tx.db);
    if (proof === undefined || proof.subject !== subject) return "INVALID_STATE";
    // The second factor that this session has shown stays shown, as with the account's own proofs.
    const shown = { kind: "sso", factors: proof.factors, amr: [], connectionId };
    const [recorded] = await access.recordProof.run({ userId, sessionId, ...shown }, tx.db);
    if (recorded === undefined) return "INVALID_STATE";
    await audit(tx, "REAUTHENTICATED", {
      actorId: userId,
      target: { type: "user", id: userId },
      metadata: { amr: [] },
    });
    return null;
  });
  count(error === null ? "succeeded" : "failed");
  return error;
}
