import { isIP } from "node:net";
import type { App } from "#kit";
import type * as queries from "#sql/webhook-deliveries";
import { allowedAddresses, hostOf } from "../../platform/http/outgoing-rules.ts";
import { type PostError, postToAddress } from "../../platform/http/post-to-address.ts";
import type { ResolveAll } from "../../platform/http/resolve-all.ts";
import { presentEvent } from "../events/present.ts";
import { webhookRules } from "./address.ts";
import { signedHeaders, webhookCipher } from "./secret.ts";
import type { AddressSlots } from "./slots.ts";

/** A delivery that this instance has leased, with everything that an attempt needs. */
export type LeasedDelivery = Awaited<ReturnType<typeof queries.leaseDeliveries.run>>[number];

export type Outcome = {
  startedAt: Date;
  durationMs: number;
  status: number | null;
  error: PostError | "DNS_FAILED" | "ADDRESS_NOT_ALLOWED" | null;
  responseExcerpt: string | null;
  /** The seconds of the response header `Retry-After`; null without that header. */
  retryAfter: number | null;
};

export type Network = { resolve: ResolveAll; addresses: AddressSlots; ca?: string | undefined };

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
const MAX_RESPONSE_BYTES = 16_384;
const EXCERPT_BYTES = 1_024;
const MAX_ADDRESSES = 2;

/**
 * Sends a webhook delivery once. Returns null, without an attempt, if too many requests to the same address are
 * running.
 */
export async function attempt(
  app: App,
  { resolve, addresses: slots, ca }: Network,
  delivery: LeasedDelivery,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const startedAt = new Date();
  const since = performance.now();
  const outcome = (part: Partial<Outcome>): Outcome => ({
    startedAt,
    durationMs: Math.round(performance.now() - since),
    status: null,
    error: null,
    responseExcerpt: null,
    retryAfter: null,
    ...part,
  });
  const url = new URL(delivery.url);
  const host = hostOf(url);
  const found = isIP(host) === 0 ? await addressesOf(resolve, host) : [host];
  if (found.length === 0) return outcome({ error: "DNS_FAILED" });
  const allowed = allowedAddresses(url, found, webhookRules(app.config));
  if (allowed === null) return outcome({ error: "ADDRESS_NOT_ALLOWED" });

  const body = Buffer.from(JSON.stringify(payloadOf(delivery)));
  const cipher = webhookCipher(app);
  const secrets = [delivery.secret, delivery.previousSecret].flatMap((one) =>
    one === null ? [] : [cipher.decrypt(one) as string],
  );
  const headers = {
    "content-type": "application/json",
    "user-agent": app.config.webhookUserAgent,
    ...signedHeaders(secrets, delivery.eventId, Math.floor(startedAt.getTime() / 1_000), body),
  };
  // The next IP address is tried only if no connection to the previous one was made. All addresses share one
  // timeout.
  let last: Outcome | null = null;
  for (const address of allowed.slice(0, MAX_ADDRESSES)) {
    const left = TOTAL_MS - (performance.now() - since);
    if (last !== null && left < CONNECT_MS) break;
    const release = slots.acquire(address);
    if (release === null) return last;
    const times = { connectMs: Math.min(CONNECT_MS, left), totalMs: left };
    const limits = { ...times, maxResponseBytes: MAX_RESPONSE_BYTES };
    const result = await postToAddress({ url, address, headers, body, ...limits, signal, ca }).finally(
      release,
    );
    const { status, error } = result;
    last = outcome({
      status,
      error,
      responseExcerpt: status === null ? null : excerptOf(result.body),
      retryAfter: retryAfterOf(status, result.headers["retry-after"]),
    });
    if (result.isConnected || error !== "CONNECTION_FAILED") break;
  }
  return last;
}

const DNS_MS = 5_000;

async function addressesOf(resolve: ResolveAll, host: string): Promise<string[]> {
  const late = Promise.withResolvers<string[]>();
  const timer = setTimeout(() => late.resolve([]), DNS_MS);
  const found = resolve(host).catch(() => []);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

/** Whether the event of a webhook delivery still exists. A test delivery contains its own event. */
export const hasEvent = ({ testEvent, storedId }: LeasedDelivery): boolean =>
  testEvent !== null || storedId !== null;

/** Returns the JSON body of a webhook delivery. */
export function payloadOf(delivery: LeasedDelivery) {
  if (delivery.testEvent !== null) return delivery.testEvent;
  const { storedId: id, sequence, type, data, occurredAt } = delivery;
  if (id === null || sequence === null || type === null || occurredAt === null)
    throw new Error("The event of a delivery is no longer kept");
  const { organizationId, actorType, actorId, clientId, clientName, requestId } = delivery;
  const by = { actorType, actorId, clientId, clientName, requestId };
  return presentEvent({ id, sequence, type, occurredAt, organizationId, ...by, data: data ?? {} });
}

/** Returns the beginning of a response body as text, without control characters. */
const excerptOf = (body: Buffer): string =>
  new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES)).replaceAll(/\p{Cc}/gu, "\u{FFFD}");

const MAX_RETRY_AFTER_SECONDS = 86_400;

function retryAfterOf(status: number | null, value: string | undefined): number | null {
  if ((status !== 429 && status !== 503) || value === undefined) return null;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : null;
}
