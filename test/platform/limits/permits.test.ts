import { expect, test } from "bun:test";
import { Permits } from "../../../src/platform/limits/permits.ts";

test("clients who disconnect while they wait leave the queue, and a released slot goes to the next connected client", async () => {
  const permits = new Permits({ account: { max: 1, waiting: Infinity } });
  const wait = (signal: AbortSignal) =>
    permits.acquire({ account: "" }, { request: { signal }, deadlineAt: performance.now() + 60_000 });
  const connected = new AbortController().signal;
  const release = await wait(connected);
  const clients = Array.from({ length: 1_000 }, () => new AbortController());
  const refused = clients.map(({ signal }) => Promise.resolve(wait(signal)).catch(({ code }) => code));
  const last = wait(connected);
  for (const client of clients) client.abort();
  expect(new Set(await Promise.all(refused))).toEqual(new Set(["TOO_MANY_REQUESTS"]));
  expect(permits.at("account").waiting).toBe(1);
  expect(() => wait(AbortSignal.abort())).toThrow("Too many");
  release();
  (await last)();
  (await wait(connected))();
});

/** One permit for all persons. Returns the order in which the waiting callers of a text got it. */
async function orderOf(waiting: string): Promise<string> {
  const permits = new Permits({
    person: { max: 2, waiting: 64 },
    organization: { max: 1, waiting: Infinity },
  });
  const { signal } = new AbortController();
  const wait = { request: { signal }, deadlineAt: performance.now() + 60_000 };
  const acquire = async (person: string) => permits.acquire({ person, organization: "" }, wait);
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
  const permits = new Permits({ person: { max: 1, waiting: 64 }, organization: { max: 1, waiting: 2 } });
  const { signal } = new AbortController();
  const keysOf = (person: string) => ({ person, organization: "" });
  const wait = { request: { signal }, deadlineAt: performance.now() + 60_000 };
  const acquire = async (person: string) => permits.acquire(keysOf(person), wait);
  const release = await acquire("a");
  const waiting = [acquire("a"), acquire("a")];
  expect(permits.hasRoom(keysOf("a"))).toBe(false);
  expect(permits.hasRoom(keysOf("b"))).toBe(true);
  waiting.push(acquire("b"));
  expect(permits.hasRoom(keysOf("b"))).toBe(false);
  release();
  await Promise.all(waiting.map(async (next) => (await next)()));
});

test("weights count as their sum, and a level without a queue refuses what does not fit", () => {
  const permits = new Permits({ address: { max: 10 } }, { address: (key) => new Error(`full: ${key}`) });
  const release = permits.take({ address: "a" }, 7);
  permits.take({ address: "a" }, 3);
  expect(() => permits.take({ address: "a" })).toThrow("full: a");
  expect(permits.tryAcquire({ address: "a" })).toBeNull();
  expect(permits.keysUsing("address", 10)).toEqual(["a"]);
  release();
  release();
  expect(permits.at("address", "a")).toMatchObject({ used: 3, max: 10, waiting: 0 });
});

test("a permit that waits until its deadline is refused and leaves the queue", async () => {
  const permits = new Permits({ account: { max: 1, waiting: 1 } });
  const release = await permits.acquire({ account: "a" });
  const late = () => new Error("late");
  const acquired = permits.acquire({ account: "a" }, { deadlineAt: performance.now() + 1, late });
  expect(permits.at("account", "a").waiting).toBe(1);
  await expect(Promise.resolve(acquired)).rejects.toThrow("late");
  expect(permits.at("account", "a").waiting).toBe(0);
  release();
});

test("a caller that always waits gets its permit although its client has left", async () => {
  const permits = new Permits({ all: { max: 1, waiting: 1 } });
  const release = permits.take({ all: "" });
  const request = { signal: AbortSignal.abort() };
  const continued = permits.acquire({ all: "" }, { request, alwaysWaits: true });
  expect(() => permits.acquire({ all: "" }, { request })).toThrow();
  release();
  (await continued)();
  expect(permits.at("all").used).toBe(0);
});

test("those who wait for what is left of another limit are refused as soon as nothing is left", async () => {
  let left = 1;
  const refuse = () => new Error("none left");
  const permits = new Permits({ address: { max: () => left, waiting: 100 } }, { address: refuse });
  const release = await permits.acquire({ address: "a" });
  const waiting = [permits.acquire({ address: "a" }), permits.acquire({ address: "a" })];
  left = 0;
  release();
  for (const one of waiting) await expect(Promise.resolve(one)).rejects.toThrow("none left");
  expect(() => permits.acquire({ address: "a" })).toThrow("none left");
});
