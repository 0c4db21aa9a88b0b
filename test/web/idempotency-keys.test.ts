import { expect, test } from "bun:test";
import { ApiError, ConnectionError } from "../../src/client/index.ts";
import { IdempotencyKeys } from "../../src/web/lib/idempotency-keys.ts";

const refusal = (statusCode: number, code: string) =>
  new ApiError("POST /api/todos", { statusCode, code, message: "No", requestId: "x" }, null);
const input = { title: "once" };

/** Sends the input once for each error, then once with success; returns the idempotency keys of all attempts. */
async function keysAfter(...errors: Error[]): Promise<string[]> {
  const keys = new IdempotencyKeys();
  const sent: string[] = [];
  for (const error of [...errors, null])
    await keys
      .run(input, async (key) => {
        sent.push(key);
        if (error !== null) throw error;
      })
      .catch(() => {});
  return sent;
}

test("an input keeps its idempotency key after a lost response, and after an error that is decided before the key is stored", async () => {
  for (const error of [
    new ConnectionError("POST /api/todos", "NETWORK_ERROR"),
    refusal(503, "SERVICE_UNAVAILABLE"),
    refusal(409, "IDEMPOTENCY_KEY_IN_USE"),
    refusal(401, "UNAUTHENTICATED"),
    refusal(403, "FORBIDDEN"),
    refusal(429, "TOO_MANY_REQUESTS"),
  ]) {
    const sent = await keysAfter(error, error);
    expect([sent.length, new Set(sent).size]).toEqual([3, 1]);
  }
});

test("an input gets a new idempotency key after an error that is stored under the key, and after success", async () => {
  for (const error of [refusal(409, "CONFLICT"), refusal(422, "IDEMPOTENCY_KEY_REUSED")])
    expect(new Set(await keysAfter(error)).size).toBe(2);
  const keys = new IdempotencyKeys();
  const [one, two] = [await keys.run(input, async (key) => key), await keys.run(input, async (key) => key)];
  expect(one).not.toBe(two);
});
