import { ApiError } from "./errors.ts";
import type { Attempt } from "./repeats.ts";

/**
 * Creates what runs each request with a token that `token` returns. If the API rejects the token, and `token` then returns
 * another one, the request is run once more.
 */
export const renewedBy =
  (token: () => Promise<string>) =>
  async <T>(attempt: Attempt<T>): Promise<T> => {
    const used = await token();
    try {
      return await attempt(used);
    } catch (error) {
      const other = error instanceof ApiError && error.status === 401 ? await token() : used;
      if (other === used) throw error;
      return attempt(other);
    }
  };
