import { expect, test } from "bun:test";
import { FAULTS } from "./faults.ts";
import { planOf } from "./plan.ts";

const names = Object.keys(FAULTS);
const SHORT = { count: 7, minutes: 1 };
const namesOf = (seed: number) => planOf(names, { ...SHORT, seed }).map(({ name }) => name);

test("each short run has faults of instances, the database, the replica, SMTP, storage, payments and clocks", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const drawn = namesOf(seed);
    for (const word of [
      /PostgreSQL|database/,
      /replica/,
      /SMTP/,
      /storage/,
      /payments/,
      /clock/,
      /instance|backends|feed/,
    ])
      expect([seed, word, drawn.filter((name) => word.test(name)).length]).toEqual([seed, word, 1]);
  }
});

test("over seeds, short runs draw every kind of fault", () => {
  const drawn = new Set(Array.from({ length: 100 }, (_, seed) => namesOf(seed)).flat());
  expect(names.filter((name) => !drawn.has(name))).toEqual([]);
});

test("a long run has every fault once before one comes again", () => {
  const drawn = planOf(names, { seed: 1, count: 2 * names.length, minutes: 30 }).map(({ name }) => name);
  expect(drawn.slice(0, names.length).toSorted()).toEqual(names.toSorted());
  expect(drawn.slice(names.length).toSorted()).toEqual(names.toSorted());
});
