import { tooManyRequests } from "./errors.ts";

const RETRY_AFTER_SECONDS = 1;
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 3_000;

/**
 * Rejects a client that exceeds its share, after 1 to 3 s. A client that repeats at once would otherwise occupy the
 * processor with rejections. The delay is random, so that rejections that start together do not end together.
 * @throws tooManyRequests, always
 */
export async function rejectAfterDelay(): Promise<never> {
  const delayMs = MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  throw tooManyRequests(RETRY_AFTER_SECONDS);
}
