import * as accounts from "#sql/people/accounts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { validationFailed } from "../../platform/errors.ts";
import type { Violation } from "../../platform/violations.ts";
import { unauthenticated } from "../access/errors.ts";
import type { SignedInCall, Tx } from "../context.ts";
import { lockAttempts, lockUsers } from "../locks.ts";
import { assertAttemptsLeft, countAttempt } from "./attempts.ts";
import { wrongCode, wrongPassword } from "./errors.ts";

/** The caller's account, with what proves that it is theirs. */
export type Account = Awaited<ReturnType<typeof accounts.findCredentials.run>>[number];

type Confirmation = {
  /** What is asked for, each of whoever has it. */
  asks: ("password" | "code")[];
  given: { password?: string | undefined; code?: string | undefined };
  /** What else is wrong with the request, seen in the light of the account. */
  validate?: (account: Account) => Violation[];
  /** Looks for what the request names, and refuses it where it is not there. */
  find?: () => void;
  /** Refuses what cannot be done, whoever asks. Called twice, the second time under the lock. */
  refuse?: (account: Account, db: Queryable) => void | Promise<void>;
  /** Takes the code, which is used up then. */
  takeCode?: (tx: Tx, account: Account, code: string) => Promise<boolean>;
  /** What takes long, outside of the transaction. It shows nothing, as it is done for a wrong password too. */
  prepare?: () => Promise<void>;
  /** Takes more locks than the user's own, in the order of src/core/locks.ts. */
  lock?: (tx: Tx, userId: string) => Promise<void>;
};

/**
 * Does `work` for a caller who shows once more who they are, by password, code or both, in one transaction with
 * taking the code. Right ones are counted as wrong ones are, before they are looked at: ten in 15 minutes over everything
 * that asks are the most that cost a hash, and the most that can be guessed, however many come at once.
 * @throws in this order: unauthenticated for a deleted account; validationFailed; what `find` throws; tooManyRequests; what
 * `refuse` throws; tooManyRequests where two of the account wait already; what `prepare` throws; wrongPassword,
 * wrongCode; what `work` throws, and then the code is not used up
 */
export async function confirmed<C extends SignedInCall, T>(
  call: C,
  { asks, given, validate, find, refuse, takeCode, prepare, lock }: Confirmation,
  work: (tx: Tx<C>, account: Account) => Promise<T>,
): Promise<T> {
  const { userId } = call.actor;
  const place = { userId, place: "PROFILE" } as const;
  const before = await findAccount(call.app.db, userId);
  assertValid([...missing(before, asks, given), ...(validate?.(before) ?? [])]);
  find?.();
  await assertAttemptsLeft(call.app.db, place);
  await refuse?.(before, call.app.db);
  await transaction(call, async (tx) => {
    await lockAttempts(tx, userId);
    await assertAttemptsLeft(tx.db, place);
    await countAttempt(tx, place);
  });

  // Hashing is slow, so it waits for nobody's lock and holds none.
  const asksPassword = asks.includes("password");
  const isPasswordRight =
    !asksPassword ||
    before.passwordHash === null ||
    (await call.app.hasher.verify(before.passwordHash, given.password ?? "", {
      of: userId,
      lane: "confirmation",
    }));
  // Whether it is or not, so that the time tells nothing.
  await prepare?.();

  return transaction(call, async (tx) => {
    await (lock?.(tx, userId) ?? lockUsers(tx, [userId]));
    const account = await findAccount(tx.db, userId);
    await refuse?.(account, tx.db);
    const isOutdated = asksPassword && account.passwordHash !== before.passwordHash;
    if (!isPasswordRight || isOutdated) throw wrongPassword();
    if (takeCode !== undefined && !(await takeCode(tx, account, given.code ?? ""))) throw wrongCode();
    return work(tx, account);
  });
}

async function findAccount(db: Queryable, userId: string): Promise<Account> {
  const [account] = await accounts.findCredentials.run({ id: userId }, db);
  if (account === undefined) throw unauthenticated();
  return account;
}

function missing(account: Account, asks: Confirmation["asks"], given: Confirmation["given"]): Violation[] {
  const has = { password: account.passwordHash !== null, code: account.hasTwoFactor };
  return asks
    .filter((asked) => has[asked] && given[asked] === undefined)
    .map((path) => ({ path, message: `${path} is required` }));
}

function assertValid(violations: Violation[]): void {
  if (violations.length > 0) throw validationFailed(violations);
}
