import { ApiError } from "../../client/index.ts";

/** Lists the properties of a File, because JSON would serialize it as an empty object. */
const describeFile = (_name: string, value: unknown) =>
  value instanceof File ? [value.name, value.size, value.lastModified] : value;

/**
 * The error statuses of checks that the API makes before it looks up the idempotency key. They say nothing about an
 * earlier attempt whose response was lost.
 */
const BEFORE_KEY = new Set([401, 403, 429]);

/** Whether the API rejected the request after it had looked up the idempotency key. Then no attempt took effect. */
const isRefusal = (error: unknown) =>
  error instanceof ApiError &&
  error.status < 500 &&
  !BEFORE_KEY.has(error.status) &&
  error.code !== "IDEMPOTENCY_KEY_IN_USE";

/**
 * Stores the `Idempotency-Key` of each input of an action until the outcome is known. If the same input is sent
 * again after a lost response, it takes effect only once.
 */
export class IdempotencyKeys {
  private readonly keys = new Map<string, string>();

  async run<Output>(input: unknown, send: (key: string) => Promise<Output>): Promise<Output> {
    const name = JSON.stringify(input, describeFile) ?? "";
    // `crypto.randomUUID` is not available on pages without TLS, so the id is built from random bytes.
    const key = this.keys.get(name) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
    this.keys.set(name, key);
    try {
      const output = await send(key);
      this.keys.delete(name);
      return output;
    } catch (error) {
      if (isRefusal(error)) this.keys.delete(name);
      throw error;
    }
  }
}
