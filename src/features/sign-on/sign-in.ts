import { type Call, exactlyOne, lockOrganization, memoizePerApp, Rate, type Tx, transaction } from "#kit";
import { lockEmail, serializationFailure } from "#kit/inside";
import * as accounts from "#sql/people/accounts";
import type { SecondFactor, SsoProof } from "../../core/access/proofs.ts";
import { listSecondFactors } from "../../core/accounts/passkey-options.ts";
import { issueChallenge } from "../../core/accounts/second-factor.ts";
import { type Challenge, completeSignIn } from "../sessions/sign-in.ts";
import { lockForSignIn, type Session } from "../sessions/start.ts";
import type { Answer } from "./answer.ts";
import { comeIn } from "./come-in.ts";
import { type Connection, findConnection, isAsItWas } from "./connection.ts";
import { findAccount, judge } from "./judge.ts";
import { LIMITS } from "./limits.ts";
import type { Refused } from "./outcome.ts";
import { answerCipher } from "./secrets.ts";

/** What the provider said, and the version of the connection's provider and claims: it waits for the second factor. */
export type Waiting = { answer: Answer; version: number };

/** A sign-in after the provider has answered. */
export type Arrival = {
  connection: Connection;
  answer: Answer;
  cookie: string | null;
};

const birthsOf = memoizePerApp(() => new Rate(LIMITS.births));

/**
 * Signs in a person of a connection (rules 44.3). Everything is decided again under the locks of organization, address and
 * account. Nothing is written for an account that must show its second factor first.
 */
export async function signInBy(call: Call, arrival: Arrival): Promise<Session | Challenge | Refused> {
  return transaction(call, async (tx) => {
    const userId = await lockForArrival(tx, arrival);
    return decide(tx, arrival, { userId, second: null });
  });
}

/**
 * Takes the locks of a sign-in by a connection: organization, address, account. Returns the account, null if there is none
 * yet.
 */
export async function lockForArrival(
  tx: Tx,
  { connection, answer, cookie }: Arrival,
): Promise<string | null> {
  await lockOrganization(tx, connection.organizationId);
  if (answer.email !== null) await lockEmail(tx, answer.email);
  const userId = await findAccount(tx, connection, answer);
  await lockForSignIn(tx, userId, cookie);
  return userId;
}

/**
 * Decides about an arrival, and signs in. Call under the locks of `lockForArrival`.
 * @param second the second factor, if it was shown
 */
export async function decide(
  tx: Tx,
  { connection: { id, testedVersion }, answer, cookie }: Arrival,
  { userId, second }: { userId: string | null; second: SecondFactor | null },
): Promise<Session | Challenge | Refused> {
  const connection = await findConnection(tx.db, id);
  if (!isAsItWas(connection, testedVersion)) return { refused: "SSO_DISABLED" };
  const verdict = await judge(tx, connection, answer);
  if (verdict.refusal !== null) return { refused: verdict.refusal, isEmailMissing: verdict.isEmailMissing };
  // Another account holds the address or the identity by now; the transaction begins again and locks that one.
  if ((verdict.person?.id ?? null) !== userId) throw serializationFailure();

  const { person } = verdict;
  const isTrusted = connection.secondFactor === "trusted";
  const waiting: Waiting = { answer, version: testedVersion };
  if (person?.hasTwoFactor && !isTrusted && second === null)
    return {
      challengeToken: await issueChallenge(tx, person.id, {
        firstFactor: "sso",
        sso: { connectionId: id, sealed: answerCipher(tx.app).encrypt(waiting) },
      }),
      methods: await listSecondFactors(tx, person.id),
    };
  if (person === null && birthsOf(tx.app).count(id).isReached) return { refused: "TOO_MANY_REQUESTS" };

  const entered = await comeIn(tx, connection, answer, verdict);
  const factors = isTrusted || second !== null ? 2 : 1;
  const proof: SsoProof = {
    kind: "sso",
    factors,
    amr: factors === 2 ? ["mfa"] : [],
    connectionId: id,
    organizationId: connection.organizationId,
  };
  tx.afterCommit.push(async () => tx.app.meter.count("sso_sign_ins_total", { outcome: "succeeded" }));
  const user = exactlyOne(await accounts.findCredentials.run({ id: entered }, tx.db));
  return completeSignIn(tx, user, { proof, cookie });
}
