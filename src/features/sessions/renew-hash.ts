import { ApiError, type Service, systemCall, transaction } from "#kit";
import { isUnavailable, lockUsers } from "#kit/inside";
import * as accounts from "#sql/people/accounts";

/** The maximum number of hash renewals that wait on an instance. Further hashes are renewed at a later sign-in. */
const REQUESTER = { key: "renewal of hashes", priority: "confirmation" } as const;

/**
 * Replaces a password hash that has outdated parameters. Only a sign-in with the correct password can do this. It
 * runs in the background and may fail. It never overwrites a password that was changed meanwhile.
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
    const isBusy = error instanceof ApiError || isUnavailable(error);
    if (!isBusy) app.log.warn("a password hash was not renewed", { err: error, userId });
  });
}
