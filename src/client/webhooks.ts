import type { EventOf, Schemas } from "./types.ts";

/**
 * An event as it is delivered to a webhook endpoint, discriminated by `type`. Later versions of the service may
 * send other types, too.
 */
export type WebhookEvent = EventOf<Schemas["Event"]["type"]>;

/** The input of `verifyWebhook`. */
export type WebhookRequest = {
  /** The secrets of the endpoint, as `whsec_…`; both of them during a rotation. */
  readonly secrets: readonly string[];
  /** The headers of the request: a `Headers` object, or an object like that of Node. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as it was received, before any parsing. */
  readonly body: string | Uint8Array | ArrayBuffer;
};

/** The error for a request that is not a webhook of the service, or for an invalid secret. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code:
    | "HEADER_MISSING"
    | "TIMESTAMP_INVALID"
    | "TIMESTAMP_OUT_OF_TOLERANCE"
    | "SIGNATURE_INVALID"
    | "BODY_INVALID"
    | "SECRET_INVALID";

  constructor(code: WebhookVerificationError["code"]) {
    super(`Webhook: ${code}`);
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 300;
/** Standard Webhooks requires secrets of 24 to 64 bytes. With an empty secret, anybody could sign. */
const MIN_SECRET_BYTES = 24;
const HMAC = { name: "HMAC", hash: "SHA-256" };

/**
 * Verifies a webhook by Standard Webhooks 1.0, with a tolerance of five minutes, and returns its event. Respond
 * with 400 if this function throws `WebhookVerificationError`, except for `SECRET_INVALID`, which is an error of
 * your configuration.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook({ secrets, headers, body }: WebhookRequest): Promise<WebhookEvent> {
  const keys = await Promise.all(secrets.map(importSecret));
  if (keys.length === 0) throw new WebhookVerificationError("SECRET_INVALID");
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string];
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError("TIMESTAMP_INVALID");
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError("TIMESTAMP_OUT_OF_TOLERANCE");

  const bytes = (typeof body === "string" ? new TextEncoder().encode(body) : body) as Uint8Array<ArrayBuffer>;
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer();
  let isValid = false;
  for (const key of keys) {
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
    const expected = `v1,${btoa(String.fromCharCode(...digest))}`;
    for (const signature of signatures.split(" ")) if (isEqual(signature, expected)) isValid = true;
  }
  if (!isValid) throw new WebhookVerificationError("SIGNATURE_INVALID");
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookVerificationError("BODY_INVALID");
  }
}

async function importSecret(secret: string): Promise<CryptoKey> {
  let bytes = "";
  try {
    if (secret.startsWith("whsec_")) bytes = atob(secret.slice(6));
  } catch {
    // Text that is not base64 is treated like a secret that is too short.
  }
  if (bytes.length < MIN_SECRET_BYTES) throw new WebhookVerificationError("SECRET_INVALID");
  const key = Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  return crypto.subtle.importKey("raw", key, HMAC, false, ["sign"]);
}

function headerOf(headers: WebhookRequest["headers"], name: string): string {
  const { get } = headers;
  const value =
    typeof get === "function"
      ? get.call(headers, name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (!value) throw new WebhookVerificationError("HEADER_MISSING");
  return String(value);
}

/** Compares in constant time: the time depends only on the lengths, which are public. */
function isEqual(actual: string, expected: string): boolean {
  let difference = actual.length ^ expected.length;
  for (let index = 0; index < expected.length; index += 1)
    difference |= actual.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}
