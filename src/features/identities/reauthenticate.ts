import { audit, type Call, transaction } from "#kit";
import * as access from "#sql/access";
import { hasOwnProof, proofOf } from "../../core/access/proofs.ts";
import { alertOfNewSignIn } from "../front-door/alert.ts";
import { lockSessionOf } from "../sessions/refresh.ts";
import type { OidcProfile } from "./profile.ts";
import { findHolder } from "./sign-in.ts";

/** The maximum age of the user's authentication at the provider, in seconds. */
const MAX_AGE_SECONDS = 300;

/**
 * Records a re-authentication by a provider in the session that started it. The identity must belong to the
 * session's user, and the browser to the session. The user must have authenticated at the provider just now (rules
 * 33.9).
 */
export async function reauthenticateBy(
  call: Call,
  {
    provider,
    profile,
    userId,
    sessionId,
    cookie,
  }: { provider: string; profile: OidcProfile; userId: string; sessionId: string; cookie: string | null },
): Promise<"INVALID_STATE" | "PROVIDER_ERROR" | null> {
  const { authenticatedAt } = profile;
  const count = (outcome: "succeeded" | "failed") =>
    call.app.meter.count("reauthentications_total", { method: "provider", outcome });
  if (authenticatedAt === null || authenticatedAt + MAX_AGE_SECONDS < Date.now() / 1000) {
    count("failed");
    return "PROVIDER_ERROR";
  }
  const isProven = await transaction(call, async (tx) => {
    const session = await lockSessionOf(tx, cookie, userId);
    if (session?.sessionId !== sessionId) return false;
    if ((await findHolder(tx, profile)) !== userId) return false;
    const proof = proofOf("provider");
    const [recorded] = await access.recordProof.run({ userId, sessionId, ...proof }, tx.db);
    if (recorded === undefined) return false;
    if (!hasOwnProof(session)) {
      const owner = { id: userId, email: session.email, language: session.language };
      await alertOfNewSignIn(tx, owner, { sessionId, method: "provider", provider });
    }
    await audit(tx, "REAUTHENTICATED", {
      actorId: userId,
      target: { type: "user", id: userId },
      metadata: { amr: proof.amr },
    });
    return true;
  });
  count(isProven ? "succeeded" : "failed");
  return isProven ? null : "INVALID_STATE";
}
