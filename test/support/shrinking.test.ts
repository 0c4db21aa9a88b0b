import { expect, test } from "bun:test";
import fc from "fast-check";
import { shrinkFor } from "./shrinking.ts";

const check = async (milliseconds: number) => {
  let checks = 0;
  const property = fc.asyncProperty(
    fc.integer({ min: 1_000, max: 2_000 }),
    shrinkFor(milliseconds, async () => {
      checks += 1;
      await Bun.sleep(1);
      throw new Error("always");
    }),
  );
  const { failed, counterexample } = await fc.check(property, { seed: 1 });
  return { checks, failed, value: counterexample?.[0] };
};

test("shrinking ends after the given time, and the failure is still reported", async () => {
  expect(await check(0)).toMatchObject({ failed: true, checks: 1 });
  expect(await check(60_000)).toMatchObject({ failed: true, value: 1_000 });
});
