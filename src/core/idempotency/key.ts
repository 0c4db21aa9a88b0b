import { hash } from "node:crypto";
import { canonicalJson } from "../../platform/canonical-json.ts";

/** The idempotency key of a request, with everything that is stored with it. */
export type IdempotencyKey = {
  /** The id of the user, the service account or the grant of an app: keys of different callers are independent. */
  callerId: string;
  keyHash: string;
  /** The digest that distinguishes the request from every other one with the same key. */
  fingerprint: string;
  organizationId: string | null;
  /** For how many hours the response is stored. */
  hours: number;
  /** The fields of the response that are returned only once; they are stored and repeated as null. */
  shownOnce: readonly string[];
  /** Whether the response is stored encrypted. */
  isSecret: boolean;
  /** The maximum size of the response; 64 KB by default. */
  maxStoredBytes?: number | undefined;
};

const KEY = /^[!-~]{1,255}$/;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * Returns the `Idempotency-Key` of a request; null if the header is absent or empty. A quoted string is read
 * without its quotes.
 */
export function keyFrom(headers: Headers): string | null {
  const value = headers.get("idempotency-key") ?? "";
  return (QUOTED.exec(value)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? value) || null;
}

/** Whether an idempotency key has a valid format. A header that was sent twice contains a space, which is invalid. */
export const isValidKey = (key: string): boolean => KEY.test(key);

export const hashOfKey = (key: string): string => sha256(key);

type KeyedRequest = {
  method: string;
  path: string;
  query: string;
  organizationId: string | null;
  /** The body as sent: parsed JSON, or the fields of a form; undefined for a request without a body. */
  body: unknown;
  images: readonly { bytes: Uint8Array<ArrayBuffer> }[];
};

/** Returns the digest of everything that distinguishes one request from another. */
export async function fingerprintOf(request: KeyedRequest): Promise<string> {
  const { method, path, query, organizationId, body, images } = request;
  const sorted = query.split("&").sort().join("&");
  const digests = images.length === 0 ? [] : await Promise.all(images.map(digestOf));
  return sha256(canonicalJson([method, path, sorted, organizationId, body ?? null, digests]));
}

/** Computes the digest of an image off the main thread, because the images of a request may have 25 MB. */
const digestOf = async ({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) =>
  Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");

const sha256 = (text: string) => hash("sha256", text, "hex");
