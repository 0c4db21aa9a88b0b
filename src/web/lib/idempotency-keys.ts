import { ApiError } from "../../client/index.ts";

/** JSON would serialize a File as an empty object. */
const describeFile = (_name: string, value: unknown) =>
  value instanceof File ? [value.name, value.size, value.lastModified] : value;

/**
 * Statuses of checks that precede the idempotency key, so they say nothing about an earlier attempt whose response
 * was lost.
 */
const BEFORE_KEY = new Set([401, 403, 429]);

/** Whether the API refused the request after it had looked up the key, so that no attempt took effect. */
const isRefusal = (error: unknown) =>
  error instanceof ApiError &&
  error.status < 500 &&
  !BEFORE_KEY.has(error.status) &&
  error.code !== "IDEMPOTENCY_KEY_IN_USE";

/**
 * The `Idempotency-Key` of each input of an action, kept until the outcome is known. If the same input is sent again
 * after a lost response, it takes effect once.
 */
export class IdempotencyKeys {
  private readonly keys = new Map<string, string>();

  /**
   * Sends an input with its key.
   * @throws what `send` throws
   */
  async run<Output>(input: unknown, send: (key: string) => Promise<Output>): Promise<Output> {
    const name = JSON.stringify(input, describeFile) ?? "";
    // `crypto.randomUUID` does not exist on pages without TLS.
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
