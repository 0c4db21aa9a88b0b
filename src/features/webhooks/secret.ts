import { createHmac, randomBytes } from "node:crypto";
import { type App, memoizePerApp } from "#kit";
import { createCipher } from "#kit/inside";

const PREFIX = "whsec_";
const BYTES = 32;

/** Creates a new signing secret for a webhook endpoint, in the form of Standard Webhooks 1.0. */
export const newSecret = (): string => PREFIX + randomBytes(BYTES).toString("base64");

/** Encrypts the signing secrets of webhook endpoints, with a key of `JOBS_ENCRYPTION_KEY`. */
export const webhookCipher = memoizePerApp(({ config }: App) =>
  createCipher(config.jobsKey, "webhooks", config.jobsKeyPrevious),
);

/**
 * Returns the headers of a signed webhook request: `webhook-id`, `webhook-timestamp` in seconds, and
 * `webhook-signature` with one signature for each secret (Standard Webhooks 1.0).
 */
export function signedHeaders(secrets: string[], id: string, timestamp: number, body: Buffer) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
