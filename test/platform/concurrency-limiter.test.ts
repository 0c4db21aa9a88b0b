import { expect, test } from "bun:test";
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

/** A limiter with one permit for all persons. Returns the order in which the waiting callers of a text got it. */
async function orderOf(waiting: string): Promise<string> {
  const limiter = new ConcurrencyLimiter();
  const { signal } = new AbortController();
  const acquire = async (person: string) =>
    limiter.acquire(
      [
        { key: person, max: 2, maxWaiting: 64 },
        { key: "organization", max: 1, maxWaiting: Infinity },
      ],
      { request: { signal }, deadlineAt: performance.now() + 60_000 },
    );
  const release = await acquire("first");
  let order = "";
  const all = [...waiting].map(async (person) => {
    const end = await acquire(person);
    order += person;
    end();
  });
  release();
  await Promise.all(all);
  return order;
}

test("persons who wait under one key take turns, in the order of arrival; each person's own callers are served in order", async () => {
  expect(await orderOf("aaaab")).toBe("abaaa");
  expect(await orderOf("aaaabbc")).toBe("abcabaa");
  expect(await orderOf("abc")).toBe("abc");
});

test("a full queue still takes one caller of each person who has none waiting", async () => {
  const limiter = new ConcurrencyLimiter();
  const { signal } = new AbortController();
  const limitsOf = (person: string) => [
    { key: person, max: 1, maxWaiting: 64 },
    { key: "organization", max: 1, maxWaiting: 2 },
  ];
  const acquire = async (person: string) =>
    limiter.acquire(limitsOf(person), { request: { signal }, deadlineAt: performance.now() + 60_000 });
  const release = await acquire("a");
  const waiting = [acquire("a"), acquire("a")];
  expect(limiter.hasRoom(limitsOf("a"))).toBe(false);
  expect(limiter.hasRoom(limitsOf("b"))).toBe(true);
  waiting.push(acquire("b"));
  expect(limiter.hasRoom(limitsOf("b"))).toBe(false);
  release();
  await Promise.all(waiting.map(async (next) => (await next)()));
});
