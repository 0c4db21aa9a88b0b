import { expect, test } from "bun:test";
import { Rate, rateLimitField } from "../../../src/platform/limits/rate.ts";

test("counts up to its points for each key; a refund gives one back, and what is refused is not counted", () => {
  const rate = new Rate({ points: 2, perSeconds: 60 });
  expect([rate.count("a"), rate.count("a"), rate.count("a")].map(({ isReached }) => isReached)).toEqual([
    false,
    false,
    true,
  ]);
  expect(() => rate.consume("a")).toThrow("Too many requests");
  rate.consume("b");
  rate.refund("a");
  expect(rate.peek("a")).toMatchObject({ isReached: false, remaining: 1 });
  rate.refund("unknown");
  expect(rate.peek("unknown")).toMatchObject({ remaining: 2 });
});

test("the window begins with the first count, and ends for good", async () => {
  const rate = new Rate({ points: 1, perSeconds: 0.05 });
  rate.consume("a");
  await Bun.sleep(60);
  expect(rate.peek("a").isReached).toBe(false);
  rate.consume("a");
});

test("the fields of RateLimit name the limit, its points and its window", () => {
  const rate = new Rate({ points: 5, perSeconds: 60 });
  expect(rate.policy("key")).toBe('"key";q=5;w=60');
  expect(rateLimitField("key", rate.count("a"))).toMatch(/^"key";r=4;t=(59|60)$/);
});
