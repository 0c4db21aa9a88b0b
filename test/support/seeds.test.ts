import { expect, test } from "bun:test";
import { seedOf } from "./seeds.ts";

test("runs with consecutive seeds have no part in common", () => {
  const partsOf = (run: number) => Array.from({ length: 3_000 }, (_, part) => seedOf(run, part));
  const runs = [1, 2, 3, 4].map(partsOf);
  expect(new Set(runs.flat()).size).toBeGreaterThan(4 * 3_000 - 10);
  expect(partsOf(1)).toEqual(runs[0] as number[]);
});
