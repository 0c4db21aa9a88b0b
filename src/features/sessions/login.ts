import * as accounts from "#sql/people/accounts";
import type { Call } from "../../core/context.ts";
import { auditBestEffort } from "../../core/effects/audit.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { emailNotVerified, invalidCredentials } from "./errors.ts";
import { type Challenge, signIn } from "./sign-in.ts";
import { lockForSignIn, type Session } from "./start.ts";

type Credentials = { email: string; password: string; cookie: string | null };

/**
 * Signs in by email and password, or returns the challenge for the second factor. An unknown email takes as long as a
 * known one, including the hash.
 * @throws invalidCredentials; tooManyRequests when too many hashes for the same email are waiting already;
 * emailNotVerified, only with the correct password
 */
export async function login(
  call: Call,
  { email, password, cookie }: Credentials,
): Promise<Session | Challenge> {
  const [found] = await accounts.findUserByEmail.run({ email }, call.app.db);
  const isRight = await call.app.hasher.verify(found?.passwordHash ?? null, password, {
    of: email,
    lane: "sign-in",
  });
  if (found === undefined || !isRight) {
    await auditFailure(
      call,
      found?.id ?? null,
      email,
      found === undefined ? "unknown_email" : "wrong_password",
    );
    throw invalidCredentials();
  }

  const outcome = await transaction(call, async (tx) => {
    await lockForSignIn(tx, found.id, cookie);
    // Hashing takes time: after a reset or deletion meanwhile, this password is no longer valid.
    const [user] = await accounts.findUserByEmail.run({ email }, tx.db);
    if (user === undefined || user.passwordHash !== found.passwordHash) return "outdated";
    if (!user.isVerified) return "unverified";

    return signIn(tx, user, cookie);
  });
  if (outcome === "outdated") {
    await auditFailure(call, found.id, email, "wrong_password");
    throw invalidCredentials();
  }
  if (outcome === "unverified") {
    await auditFailure(call, found.id, email, "email_not_verified");
    throw emailNotVerified();
  }
  return outcome;
}

type Reason = "unknown_email" | "wrong_password" | "email_not_verified";

async function auditFailure(call: Call, userId: string | null, email: string, reason: Reason): Promise<void> {
  const target = userId === null ? null : ({ type: "user", id: userId } as const);
  await auditBestEffort(call, "LOGIN_FAILED", { actorId: null, target, metadata: { email, reason } });
}
