import { test } from "bun:test";
import { ConcurrencyLimiter } from "../../src/platform/concurrency-limiter.ts";

/** A time longer than the limiter waits before it checks whether a client is still connected. */
const LONG_MS = 150;

test("a released slot goes to the next connected client, past any number of clients who disconnected while waiting", async () => {
  const limiter = new ConcurrencyLimiter();
  const limits = [{ key: "account", max: 1, maxWaiting: Number.POSITIVE_INFINITY }];
  const wait = (signal: AbortSignal) =>
    limiter.acquire(limits, { request: { signal }, deadlineAt: performance.now() + 60_000 });
  const connected = new AbortController().signal;
  const release = await wait(connected);
  // These calls are refused seconds later; the errors are ignored.
  for (let count = 0; count < 20_000; count += 1)
    void Promise.resolve(wait(AbortSignal.abort())).catch(() => {});
  const last = wait(connected);
  await Bun.sleep(LONG_MS);
  release();
  (await last)();
  (await wait(connected))();
});
