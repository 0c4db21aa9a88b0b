import * as accounts from "#sql/people/accounts";
import type { Call } from "../../core/context.ts";
import { auditBestEffort } from "../../core/effects/audit.ts";
import { assertFailuresLeft, countFailure } from "../../core/people/sign-in-failures.ts";
import { awaitAll } from "../../platform/db/await-all.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { emailNotVerified, invalidCredentials } from "./errors.ts";
import { renewHash } from "./renew-hash.ts";
import { type Challenge, signIn } from "./sign-in.ts";
import { lockForSignIn, type Session } from "./start.ts";

type Credentials = { email: string; password: string; cookie: string | null };
type Reason = "unknown_email" | "wrong_password" | "email_not_verified";
type Outcome = Session | Challenge | { reason: Reason | "outdated"; userId: string | null };

/**
 * Signs in by email and password, or returns the challenge for the second factor. An unknown email takes as long as a
 * known one, including the hash.
 * @throws invalidCredentials; tooManyRequests when too many hashes for the same email are waiting already, and after too
 * many failures (rules 5.15); emailNotVerified, only with the correct password
 */
export async function login(call: Call, credentials: Credentials): Promise<Session | Challenge> {
  let outcome = await attempt(call, credentials);
  // The hash was replaced meanwhile: by another password, or by another sign-in that renewed it.
  if ("reason" in outcome && outcome.reason === "outdated") outcome = await attempt(call, credentials);
  if (!("reason" in outcome)) return outcome;

  const { userId } = outcome;
  const reason = outcome.reason === "outdated" ? "wrong_password" : outcome.reason;
  const { email } = credentials;
  const target = userId === null ? null : ({ type: "user", id: userId } as const);
  await auditBestEffort(call, "LOGIN_FAILED", { actorId: null, target, metadata: { email, reason } });
  if (reason === "email_not_verified") throw emailNotVerified();
  await countFailure(call, email);
  throw invalidCredentials();
}

async function attempt(call: Call, { email, password, cookie }: Credentials): Promise<Outcome> {
  const { db, hasher } = call.app;
  const [[found]] = await awaitAll(
    accounts.findUserByEmail.run({ email }, db),
    assertFailuresLeft(call, email),
  );
  const storedHash = found?.passwordHash ?? null;
  const isRight = await hasher.verify(storedHash, password, { of: email, lane: "sign-in" });
  if (found === undefined) return { reason: "unknown_email", userId: null };
  if (storedHash === null || !isRight) return { reason: "wrong_password", userId: found.id };

  const outcome = await transaction(call, async (tx): Promise<Outcome> => {
    await lockForSignIn(tx, found.id, cookie);
    // Hashing takes time: after a reset or deletion meanwhile, this password is no longer valid.
    const [user] = await accounts.findUserByEmail.run({ email }, tx.db);
    if (user === undefined || user.passwordHash !== storedHash)
      return { reason: "outdated", userId: found.id };
    if (!user.isVerified) return { reason: "email_not_verified", userId: found.id };

    return signIn(tx, user, cookie);
  });
  if (!("reason" in outcome)) renewHash(call.app, { userId: found.id, password, storedHash });
  return outcome;
}
