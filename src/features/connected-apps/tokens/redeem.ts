import { createHash, timingSafeEqual } from "node:crypto";
import { type Call, tokenHash as digestOf, type Tx, transaction } from "#kit";
import { lockUsers } from "#kit/inside";
import * as queries from "#sql/oauth-tokens";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { isAppSecret } from "../../../core/access/token-forms.ts";
import { endReused } from "../grants/end.ts";
import { tellConnected } from "../grants/tell.ts";
import { countUnknown } from "./client.ts";
import { oauthError } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { ACCESS_SECONDS, type Answer, answerOf, assertResource, digestsOf, randomPair } from "./pair.ts";

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Gives the first tokens of a grant for its code (rules 46.13). Client, redirect and verifier are judged first. Only one redemption gets
 * tokens; a later one by the same client, that knows everything, is theft and ends the grant.
 * @throws invalid_request; invalid_grant; invalid_target; tooManyRequests after too many codes that do not exist
 */
export async function redeem(call: Call, clientId: string, fields: Fields): Promise<Answer> {
  const code = fields.need("code");
  const verifier = fields.need("code_verifier", VERIFIER);
  const tokenHash = digestOf(code);
  const find = async () => (await queries.findCode.run({ tokenHash }, call.db))[0];
  const found = isAppSecret("c", code) ? await find() : undefined;
  if (found === undefined) countUnknown(call);
  const redirect = fields.get("redirect_uri") ?? found?.redirectUri;
  if (found?.clientId !== clientId || redirect !== found.redirectUri) throw oauthError("invalid_grant");
  if (!isChallengeOf(verifier, found.codeChallenge)) {
    // So that no verifier can be guessed.
    await queries.spendCode.run({ tokenHash }, call.db.writes);
    throw oauthError("invalid_grant");
  }
  assertResource(fields.resources, found.resource, call.app.config);
  const body = await transaction(call, async (tx) => {
    // The deletion of an account deletes the grant before its code, so this order alone would be a deadlock.
    await lockUsers(tx, [found.userId]);
    return spend(tx, tokenHash);
  });
  if (body !== null) return { body, grantId: found.grantId, outcome: "issued" };
  const spent = await find();
  if (spent?.isSpent && spent.isLive) await endReused(call, spent, "code");
  throw oauthError("invalid_grant");
}

/** Spends a code and begins its grant; returns null if the code was spent or has expired. @throws invalid_grant if the grant does not work */
async function spend(tx: Tx, tokenHash: string): Promise<Answer["body"] | null> {
  const [spent] = await queries.spendCode.run({ tokenHash }, tx.db);
  if (spent === undefined) return null;
  const { grantId } = spent;
  const [begun] = await queries.beginGrant.run({ grantId }, tx.db);
  const pair = randomPair();
  const operator = operatorOf(tx.app.config);
  const given = { grantId, operator, accessSeconds: ACCESS_SECONDS, ...digestsOf(pair) };
  const [inserted] = begun === undefined ? [] : await queries.insertFirstTokens.run(given, tx.db);
  if (inserted === undefined) throw oauthError("invalid_grant");
  await tellConnected(tx, grantId);
  return answerOf(pair, inserted);
}

/** Whether a verifier is that of a challenge (RFC 7636, S256). */
function isChallengeOf(verifier: string, challenge: string): boolean {
  const computed = createHash("sha256").update(verifier).digest();
  const expected = Buffer.from(challenge, "base64url");
  return expected.length === computed.length && timingSafeEqual(expected, computed);
}
