import { test } from "bun:test";
import { ConcurrencyLimiter } from "../../src/platform/concurrency-limiter.ts";

/** Longer than the wait after which a client's connection is checked. */
const LONG_MS = 150;

test("a turn is released past any number of clients who disconnected while they waited", async () => {
  const limiter = new ConcurrencyLimiter();
  const limits = [{ key: "account", max: 1, maxWaiting: Number.POSITIVE_INFINITY }];
  const wait = (signal: AbortSignal) =>
    limiter.acquire(limits, { request: { signal }, deadlineAt: performance.now() + 60_000 });
  const connected = new AbortController().signal;
  const release = await wait(connected);
  // Their refusals come seconds later, and nobody waits for them.
  for (let count = 0; count < 20_000; count += 1)
    void Promise.resolve(wait(AbortSignal.abort())).catch(() => {});
  const last = wait(connected);
  await Bun.sleep(LONG_MS);
  release();
  (await last)();
  (await wait(connected))();
});
