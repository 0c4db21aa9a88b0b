import { type Call, memoizePerApp, Rate, tooManyRequests, transaction } from "#kit";
import { auditBestEffort } from "#kit/inside";
import * as accounts from "#sql/people/accounts";
import { countFailure, findRefusal } from "../../core/accounts/attempts.ts";
import { assertHuman } from "../../core/accounts/outside-checks.ts";
import { hasSamePassword } from "../../core/accounts/passwords.ts";
import { throttleKey } from "../../platform/http/client-address.ts";
import { emailNotVerified, invalidCredentials } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { renewHash } from "./renew-hash.ts";
import { type Challenge, signIn } from "./sign-in.ts";
import { lockForSignIn, type Session } from "./start.ts";

type Credentials = {
  email: string;
  password: string;
  botToken?: string | undefined;
  cookie: string | null;
};

/** The failures of an address, after which its sign-ins need the bot check. */
const failuresOf = memoizePerApp(() => new Rate(LIMITS.failuresBeforeBotCheck));
const addressOf = ({ ip }: Call): string => throttleKey(ip ?? "");

/**
 * Signs in with email and password. Returns a session, or a challenge for the second factor. For an unknown email
 * it also computes a hash, so that the response takes as long as for a known one.
 * @throws botCheckRequired after five failures of the address (rules 32.8), before anything is looked up; invalidCredentials; tooManyRequests if too many hashes for the same email are already waiting, and after
 * too many failures (rules 5.15); emailNotVerified, only with the correct password
 */
export async function login(
  call: Call,
  { email, password, botToken, cookie }: Credentials,
): Promise<Session | Challenge> {
  const {
    app: { hasher },
    db,
  } = call;
  if (failuresOf(call.app).peek(addressOf(call)).isReached) await assertHuman(call, botToken);
  const [found] = await accounts.findUserByEmail.run({ email }, db);
  const refusal = await findRefusal(call, email);
  if (refusal !== null) {
    if (refusal.isFirst) await auditFailure(call, found?.id ?? null, email, "limited");
    throw tooManyRequests(refusal.secondsLeft);
  }
  const storedHash = found?.passwordHash ?? null;
  const isRight = await hasher.verify(storedHash, password, { key: email, priority: "sign-in" });
  if (found === undefined) return fail(call, null, email, "unknown_email");
  if (storedHash === null || !isRight) return fail(call, found.id, email, "wrong_password");

  const outcome = await transaction(call, async (tx) => {
    await lockForSignIn(tx, found.id, cookie);
    // The account is read again under the lock. While the password was hashed, it may have been reset or the
    // account deleted.
    const [user] = await accounts.findUserByEmail.run({ email }, tx.db);
    if (user === undefined || !hasSamePassword(user, storedHash)) return "outdated";
    if (!user.isVerified) return "unverified";

    return signIn(tx, user, { firstFactor: "password", cookie });
  });
  if (outcome === "outdated") return fail(call, found.id, email, "wrong_password");
  if (outcome === "unverified") {
    await auditFailure(call, found.id, email, "email_not_verified");
    throw emailNotVerified();
  }
  renewHash(call, { userId: found.id, password, storedHash });
  return outcome;
}

type Reason = "unknown_email" | "wrong_password" | "email_not_verified" | "limited";

async function fail(call: Call, userId: string | null, email: string, reason: Reason): Promise<never> {
  await auditFailure(call, userId, email, reason);
  failuresOf(call.app).count(addressOf(call));
  await countFailure(call, email);
  throw invalidCredentials();
}

async function auditFailure(call: Call, userId: string | null, email: string, reason: Reason): Promise<void> {
  const target = userId === null ? null : ({ type: "user", id: userId } as const);
  await auditBestEffort(call, "LOGIN_FAILED", { actorId: null, target, metadata: { email, reason } });
}
