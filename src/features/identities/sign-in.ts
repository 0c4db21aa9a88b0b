import { audit, type Call, notify, type Tx, transaction } from "#kit";
import { auditAfterCommit, serializationFailure, toStored } from "#kit/inside";
import * as queries from "#sql/identities";
import * as accounts from "#sql/people/accounts";
import { admitBirth, createVerifiedUser, findEmailHolder } from "../../core/accounts/registration.ts";
import { type Challenge, signIn } from "../sessions/sign-in.ts";
import { lockForSignIn, type Session } from "../sessions/start.ts";
import type { OidcProfile } from "./profile.ts";

/** The reasons for which a user of a sign-in provider is not signed in. */
export type SignInRefusal = AuditedRefusal | "REGISTRATION_CLOSED";
type AuditedRefusal = "EMAIL_NOT_VERIFIED" | "ACCOUNT_EXISTS" | "EMAIL_UNAVAILABLE";

type SignInAttempt = { provider: string; profile: OidcProfile; cookie: string | null };

/**
 * Signs in a user of a provider (rules 8.4 to 8.6): with the account that the identity belongs to, otherwise with a
 * new account. An existing account with the same email is never used: it may have been registered by somebody else.
 */
export async function signInAs(
  call: Call,
  attempt: SignInAttempt,
): Promise<Session | Challenge | SignInRefusal> {
  return transaction(call, async (tx) => {
    const known = await findHolder(tx, attempt.profile);
    if (known !== null) return startSessionOf(tx, known, attempt);
    // The identity is looked up before the first write: another transaction may hold the user's lock while it waits
    // for this identity or email.
    await lockForSignIn(tx, null, attempt.cookie);
    const registered = await register(tx, attempt);
    return "refusal" in registered ? registered.refusal : startSessionOf(tx, registered.userId, attempt);
  });
}

/** Returns the account that an identity belongs to, or null. */
export async function findHolder(tx: Tx, { issuer, subject }: OidcProfile): Promise<string | null> {
  const [holder] = await queries.findIdentityHolder.run({ issuer, subject }, tx.db);
  return holder?.userId ?? null;
}

async function startSessionOf(
  tx: Tx,
  userId: string,
  { provider, profile, cookie }: SignInAttempt,
): Promise<Session | Challenge> {
  await lockForSignIn(tx, userId, cookie);
  // The identity is read again under the lock: it may have been unlinked, or deleted with its account.
  const holder = await findHolder(tx, profile);
  const [user] = await accounts.findCredentials.run({ id: userId }, tx.db);
  if (holder !== userId || user === undefined) throw serializationFailure();
  return signIn(tx, user, { firstFactor: "provider", provider, cookie });
}

async function register(
  tx: Tx,
  { provider, profile }: SignInAttempt,
): Promise<{ userId: string } | { refusal: SignInRefusal }> {
  const { issuer, subject, email, firstName, lastName } = profile;
  if (email === null || !profile.isEmailVerified) return refuse(tx, "EMAIL_NOT_VERIFIED", email, null);
  const admission = await admitBirth(tx, { path: "provider", email });
  if (admission === null) return { refusal: "REGISTRATION_CLOSED" };

  const language = toStored(profile.language ?? tx.app.config.defaultLanguage);
  const details = { email, firstName, lastName, language, passwordHash: null };
  const userId = await createVerifiedUser(tx, admission, details);
  if (userId === null) {
    // A concurrent callback of the same user may have created the account.
    if ((await findHolder(tx, profile)) !== null) throw serializationFailure();
    const holder = await findEmailHolder(tx.db, email);
    return refuse(
      tx,
      holder?.isDeleted ? "EMAIL_UNAVAILABLE" : "ACCOUNT_EXISTS",
      email,
      holder?.isDeleted ? null : (holder?.id ?? null),
    );
  }
  const [linked] = await queries.insertIdentity.run({ userId, provider, issuer, subject, email }, tx.db);
  // If two sign-ins with the same identity but different emails run concurrently, the first one created the
  // account.
  if (linked === undefined) throw serializationFailure();
  await audit(tx, "USER_REGISTERED", {
    actorId: userId,
    target: { type: "user", id: userId },
    metadata: { provider },
  });
  await notify(tx, userId, "WELCOME", {});
  return { userId };
}

function refuse(tx: Tx, refusal: AuditedRefusal, email: string | null, userId: string | null) {
  const target = userId === null ? null : ({ type: "user", id: userId } as const);
  const metadata = { email, reason: refusal.toLowerCase() as Lowercase<AuditedRefusal> };
  auditAfterCommit(tx, "LOGIN_FAILED", { actorId: null, target, metadata });
  return { refusal };
}
