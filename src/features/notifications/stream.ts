import { type SignedInCall, tooManyRequests } from "#kit";
import { confinedTo } from "../../core/access/proofs.ts";

const RETRY_SECONDS = 5;

/**
 * Opens a live stream of the caller's notifications (rules 17.7) until the access token expires.
 * @throws tooManyRequests for the eleventh stream on this instance
 */
export function openStream({ app, actor }: SignedInCall): Response {
  const stream = app.streams.open(actor.userId, actor.claims.exp, confinedTo(actor));
  if (stream === null) throw tooManyRequests(RETRY_SECONDS);
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}
