import { ApiError, ConnectionError } from "./errors.ts";

/**
 * Whether a call that several requests share got no answer because the runtime ended it with the request that it was
 * for, as workerd does if its client is gone. Each of the others then makes the call itself.
 */
export const isLost = (error: unknown): boolean =>
  !(error instanceof ApiError || error instanceof ConnectionError);
