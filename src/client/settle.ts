import { ApiError, ConnectionError, type RequestError } from "./errors.ts";
import type { Endpoint, Result } from "./types.ts";

declare const endpoint: unique symbol;

/** The promise of a request, typed with its endpoint, so that `settle` knows the possible errors. */
export type Call<E extends Endpoint> = Promise<Result<E>> & { readonly [endpoint]?: E };

/** The outcome of a request: its result or its error. */
export type Settled<E extends Endpoint> =
  | { readonly ok: true; readonly data: Result<E> }
  | { readonly ok: false; readonly error: RequestError<E> };

/**
 * Waits for a request and returns its result or its error, narrowed to the errors of the endpoint, as an alternative to
 * `catch`.
 * @throws anything else: the reason of the caller's own signal
 */
export async function settle<E extends Endpoint>(call: Call<E>): Promise<Settled<E>> {
  try {
    return { ok: true, data: (await call) as Result<E> };
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError)
      return { ok: false, error: error as RequestError<E> };
    throw error;
  }
}
