import type { Caller, Options } from "./caller.ts";

/** Returns the request options with an `Idempotency-Key` header. */
export const keyed = (key: string, { headers, ...options }: Options = {}): Options => ({
  ...options,
  headers: { ...headers, "idempotency-key": key },
});

export const newKey = () => crypto.randomUUID();

export const isReplay = ({ headers }: { headers: Headers }) => headers.get("idempotent-replayed") === "true";

/** Sends a POST with an idempotency key; returns status, headers, and the bytes of the response body. */
export async function postBytes(caller: Caller, path: string, body: string | undefined, key: string) {
  const response = await fetch(caller.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${caller.accessToken}`,
      "idempotency-key": key,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    headers: response.headers,
    type: response.headers.get("content-type"),
    bytes: Buffer.from(await response.arrayBuffer()).toString("base64"),
  };
}
