import { expect, test } from "bun:test";
import { checkCleaning } from "../../support/check-cleaning.ts";
import { mutated, randomOf, SEEDS } from "../../support/image-mutations.ts";
import { ROUNDS } from "../../support/race.ts";

const COUNT = ROUNDS * 50;

for (const [format, images] of Object.entries(SEEDS)) {
  test(`any random mutation of a ${format} is refused, or cleaned to an image that does not change when cleaned again`, () => {
    let cleaned = 0;
    for (let seed = 0; seed < COUNT; seed += 1) {
      const bytes = mutated(images, randomOf(seed));
      try {
        if (checkCleaning(bytes)) cleaned += 1;
      } catch (error) {
        throw new Error(`seed ${seed}: ${Buffer.from(bytes).toString("base64")}`, { cause: error });
      }
    }
    // Enough mutations must be accepted, or the test would only show that broken images are refused.
    expect(cleaned).toBeGreaterThan(COUNT / 50);
  });
}
