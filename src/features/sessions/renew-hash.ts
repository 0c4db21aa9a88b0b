import * as accounts from "#sql/people/accounts";
import { type Service, systemCall } from "../../core/context.ts";
import { lockUsers } from "../../core/locks.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { ApiError } from "../../platform/errors.ts";

/** Two of them may wait on an instance, whoever's they are. The others are renewed at a later sign-in. */
const REQUESTER = { of: "renewal of hashes", lane: "confirmation" } as const;

/**
 * Replaces a hash of another cost than today's by one of today's, which only a sign-in with the correct password can do. In
 * the background and best effort: nobody waits for it, and it never replaces a password that was changed meanwhile.
 */
export function renewHash(
  service: Service,
  { userId, password, storedHash }: { userId: string; password: string; storedHash: string },
): void {
  const { app } = service;
  if (!app.hasher.isOutdated(storedHash)) return;
  const renew = async () => {
    const passwordHash = await app.hasher.hash(password, REQUESTER);
    await transaction(systemCall(service), async (tx) => {
      await lockUsers(tx, [userId]);
      await accounts.renewPasswordHash.run({ id: userId, storedHash, passwordHash }, tx.db);
    });
  };
  renew().catch((error) => {
    const isBusy = error instanceof ApiError;
    if (!isBusy) app.log.warn("a password hash was not renewed", { err: error, userId });
  });
}
