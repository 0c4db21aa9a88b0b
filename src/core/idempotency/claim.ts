import * as queries from "#sql/idempotency";
import { serializationFailure } from "../../platform/db/transaction.ts";
import type { Call, Tx } from "../context.ts";
import { idempotencyKeyInUse } from "./errors.ts";
import type { IdempotencyKey } from "./key.ts";

/**
 * An idempotency key that a request in several steps has claimed. `claimedAt` distinguishes the claim from later
 * claims of the key.
 */
export type Claim = IdempotencyKey & { readonly claimedAt: Date };

const SECONDS = 60;
const RENEW_AFTER_MS = 20_000;

/**
 * Claims a free idempotency key. Call under the key's lock. Other requests see the claim when the transaction is
 * committed.
 */
export async function claimKey(tx: Tx, key: IdempotencyKey): Promise<Claim> {
  const [claimed] = await queries.claimKey.run({ ...key, seconds: SECONDS }, tx.db);
  // The key was claimed just before the lock was granted. The retried transaction finds that claim: the caller gets 409.
  if (claimed === undefined) throw serializationFailure();
  return { ...key, claimedAt: claimed.createdAt };
}

/** Renews a claim regularly until it is stopped. A failed renewal is not repeated: the next one is early enough. */
export function renew(call: Call, claim: Claim) {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = queries.renewClaim
      .run({ ...claim, seconds: SECONDS }, call.db.writes)
      .catch((err) =>
        call.log.warn("claim of an idempotency key not renewed", { err, requestId: call.requestId }),
      );
  }, RENEW_AFTER_MS);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}

/**
 * Stores the response of a request in several steps, in the transaction of its last step.
 * @throws idempotencyKeyInUse if another request has taken over the key
 */
export async function completeClaim(
  tx: Tx,
  claim: Claim,
  response: { status: number; body: string | null },
): Promise<void> {
  const [completed] = await queries.completeClaim.run({ ...claim, ...response }, tx.db);
  if (completed === undefined) throw idempotencyKeyInUse();
}

/** Frees the idempotency key after a failure. If that fails too, the claim expires by itself. */
export async function releaseClaim(call: Call, claim: Claim): Promise<void> {
  try {
    await queries.releaseClaim.run(claim, call.db.writes);
  } catch (err) {
    call.log.warn("claim of an idempotency key not released", { err, requestId: call.requestId });
  }
}
