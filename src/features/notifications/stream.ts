import type { SignedInCall } from "../../core/context.ts";
import { tooManyRequests } from "../../platform/errors.ts";

const RETRY_SECONDS = 5;

/**
 * The caller's live stream (rules 17.7), until their access token expires.
 * @throws tooManyRequests for the eleventh on this instance
 */
export function openStream({ app, actor }: SignedInCall): Response {
  const stream = app.streams.open(actor.userId, actor.claims.exp);
  if (stream === null) throw tooManyRequests(RETRY_SECONDS);
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}
