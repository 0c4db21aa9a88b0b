import * as queries from "#sql/idempotency";
import { createCipher } from "../../platform/crypto.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { serializationFailure, transaction } from "../../platform/db/transaction.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Call, Tx } from "../context.ts";
import { memoizePerApp } from "../memoize-per-app.ts";
import { claimKey, completeClaim, releaseClaim, renew } from "./claim.ts";
import { idempotencyKeyInUse, idempotencyKeyReused } from "./errors.ts";
import type { IdempotencyKey } from "./key.ts";

/** A request's call, with its `Idempotency-Key`; the key is null if the request has none. */
export type KeyedCall = Call & { readonly idempotencyKey: IdempotencyKey | null };

/**
 * The response to a request with an `Idempotency-Key`: of the work that was just done, or the stored response of an
 * earlier request with the same key.
 */
export type KeyedResponse<T> = {
  /** Never set at run time; it only carries the body's type for the compiler. */
  readonly of?: T;
  readonly status: number;
  /** The response body as JSON text; null if there is no body. */
  readonly body: string | null;
  readonly isReplayed: boolean;
};

/** Runs the transaction that decides a request, and builds the response from its result before COMMIT. */
export type LastStep<C extends Call> = <T>(work: (tx: Tx<C>) => Promise<T>) => Promise<KeyedResponse<T>>;

/**
 * Runs `work` in one transaction. With an `Idempotency-Key`, the response is stored in the same transaction: no
 * change without its stored response, no stored response without its change. A repeated request gets the stored
 * response, and `work` does not run.
 * @throws idempotencyKeyInUse while another request with the key runs; idempotencyKeyReused if the key was used for
 * another request
 */
export async function respondOnce<C extends KeyedCall, T>(
  call: C,
  status: number,
  work: (tx: Tx<C>) => Promise<T>,
): Promise<KeyedResponse<T>> {
  const { idempotencyKey: key } = call;
  if (key === null) return responseOf(status, await transaction(call, work));
  let hasBegun = false;
  try {
    const response = await transaction(call, async (tx) => {
      const earlier = await findResponse<T>(tx, key);
      if (earlier !== null) return earlier;
      hasBegun = true;
      const result = await work(tx);
      const stored = { status, body: toStored(tx, result, key) };
      const [inserted] = await queries.insertResponse.run({ ...key, ...stored }, tx.db);
      // The same request was committed just before the lock was granted. The retried transaction finds its response.
      if (inserted === undefined) throw serializationFailure();
      return responseOf(status, result);
    });
    if (!response.isReplayed) count(call, "first");
    return response;
  } catch (error) {
    // If the same request was committed just before the lock was granted, its response was not found, and it may be
    // why `work` failed.
    if (!hasBegun || !(error instanceof ApiError)) throw error;
    const earlier = await transaction(call, (tx) => findResponse<T>(tx, key));
    if (earlier === null) throw error;
    return earlier;
  }
}

/**
 * Like `respondOnce`, for work in several steps: other transactions, uploads, calls of a provider. The key is
 * claimed first, in its own transaction. The last step is the transaction that stores the response. A failure frees
 * the key at once, a crash within a minute.
 * @throws as respondOnce; idempotencyKeyInUse also if the claim was lost in the end, and then nothing is committed
 */
export async function respondOnceInSteps<C extends KeyedCall, T>(
  call: C,
  status: number,
  steps: (last: LastStep<C>) => Promise<KeyedResponse<T>>,
): Promise<KeyedResponse<T>> {
  const { idempotencyKey: key } = call;
  if (key === null) return steps((last) => respondOnce(call, status, last));
  const claimed = await transaction(
    call,
    async (tx) => (await findResponse<T>(tx, key)) ?? (await claimKey(tx, key)),
  );
  if (!("claimedAt" in claimed)) return claimed;
  const renewal = renew(call, claimed);
  try {
    const response = await steps(async (last) => {
      await renewal.stop();
      return transaction(call, async (tx) => {
        const result = await last(tx);
        await completeClaim(tx, claimed, { status, body: toStored(tx, result, key) });
        return responseOf(status, result);
      });
    });
    count(call, "first");
    return response;
  } catch (error) {
    await renewal.stop();
    await releaseClaim(call, claimed);
    throw error;
  }
}

/**
 * Locks the key until the transaction ends. Returns the stored response, or null if the key is free.
 * @throws idempotencyKeyInUse, idempotencyKeyReused
 */
async function findResponse<T>(tx: Tx, key: IdempotencyKey): Promise<KeyedResponse<T> | null> {
  const { isLocked, fingerprint, status, body } = exactlyOne(await queries.lockKey.run(key, tx.db));
  if (isLocked && fingerprint === null) return null;
  if (!isLocked || status === null) {
    count(tx, "in_use");
    throw idempotencyKeyInUse();
  }
  if (fingerprint !== key.fingerprint) {
    count(tx, "reused");
    throw idempotencyKeyReused();
  }
  count(tx, "replayed");
  return { status, body: fromStored(tx, body, key), isReplayed: true };
}

/** Deletes all responses that are stored for a caller's idempotency keys. */
export async function deleteKeysOf(tx: Tx, callerId: string): Promise<void> {
  await queries.deleteKeysOfCaller.run({ callerId }, tx.db);
}

/** Deletes all responses to requests that acted in an organization, of whichever caller. */
export async function deleteKeysOfOrganization(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteKeysOfOrganization.run({ organizationId }, tx.db);
}

const responseOf = <T>(status: number, result: T): KeyedResponse<T> => ({
  status,
  body: bodyOf(result),
  isReplayed: false,
});

const bodyOf = (result: unknown) => (result === undefined ? null : JSON.stringify(result));

/**
 * The maximum size of a stored response body, unless the route says another: rows are read and written with every request
 * that has a key.
 */
const MAX_STORED_BYTES = 65_536;

const cipherOf = memoizePerApp(({ config }) =>
  createCipher(config.jobsKey, "idempotency", config.jobsKeyPrevious),
);

/**
 * Returns the response body to store, without fields that are returned only once: no stored value can be used as a
 * credential.
 */
function toStored(
  { app }: Pick<Call, "app">,
  result: unknown,
  { shownOnce, isSecret, maxStoredBytes = MAX_STORED_BYTES }: IdempotencyKey,
) {
  const hidden = Object.fromEntries(shownOnce.map((name) => [name, null]));
  const body = bodyOf(shownOnce.length === 0 ? result : { ...(result as object), ...hidden });
  if (body !== null && Buffer.byteLength(body) > maxStoredBytes)
    throw new Error(
      `The response of a POST with an Idempotency-Key must have at most ${maxStoredBytes / 1_024} KB`,
    );
  return body !== null && isSecret ? cipherOf(app).encrypt(body) : body;
}

const fromStored = ({ app }: Pick<Call, "app">, stored: string | null, { isSecret }: IdempotencyKey) =>
  stored !== null && isSecret ? (cipherOf(app).decrypt(stored) as string) : stored;

const count = ({ app }: Pick<Call, "app">, outcome: "first" | "replayed" | "in_use" | "reused") =>
  app.meter.count("idempotent_requests_total", { outcome });
