import { ApiError, ConnectionError, type RequestError } from "./errors.ts";
import type { Endpoint, Result } from "./types.ts";

declare const endpoint: unique symbol;

/** The promise of a request, typed with its endpoint, so that `settle` knows the possible errors. */
export type Call<E extends Endpoint, Data = Result<E>> = Promise<Data> & { readonly [endpoint]?: E };

/** The outcome of a request: its result or its error. */
export type Settled<E extends Endpoint, Data = Result<E>> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: RequestError<E> };

/**
 * Waits for a request, or for a named method such as `signIn`. Returns its result or its error, narrowed to the
 * errors of the endpoint, as an alternative to `catch`.
 * @throws any other error, such as the reason of the caller's signal
 */
export async function settle<E extends Endpoint, Data>(call: Call<E, Data>): Promise<Settled<E, Data>> {
  try {
    return { ok: true, data: await call };
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError)
      return { ok: false, error: error as RequestError<E> };
    throw error;
  }
}
