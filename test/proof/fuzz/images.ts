import { checkCleaning } from "../../support/check-cleaning.ts";
import { enlarged, mutated, randomOf, SEEDS } from "../../support/image-mutations.ts";

/**
 * `bun run proof fuzz:images [count] [first seed]` finds images that crash or slow down the cleaner. It mutates images
 * of each format, one in a hundred of them of 100 KB. Each must be cleaned or rejected quickly. A failure is reported
 * with the seed that reproduces it.
 */
const COUNT = Number(process.argv[2] ?? 200_000);
const FIRST = Number(process.argv[3] ?? 0);
const LARGE_BYTES = 100 * 1024;
const SLOW_MS = 50;
const RETRIES = 4;

let failures = 0;
let wasImage = false;
for (const [format, images] of Object.entries(SEEDS)) {
  const counts = { images: 0, slow: 0, slowestMs: 0 };
  const before = performance.now();
  for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
    const random = randomOf(seed);
    const small = mutated(images, random);
    const bytes = seed % 100 === 0 ? mutated([enlarged(small, LARGE_BYTES, random)], random) : small;
    try {
      let took = timed(bytes);
      if (wasImage) counts.images += 1;
      // A slow image is cleaned again: on a busy machine it counts as slow only if it is slow each time.
      for (let more = 0; took > SLOW_MS && more < RETRIES; more += 1) took = Math.min(took, timed(bytes));
      counts.slowestMs = Math.max(counts.slowestMs, took);
      if (took > SLOW_MS) counts.slow += 1;
    } catch (error) {
      failures += 1;
      console.error(`${format}, seed ${seed}: ${error}\n${Buffer.from(bytes).toString("base64")}`);
    }
  }
  failures += counts.slow;
  const seconds = ((performance.now() - before) / 1000).toFixed(1);
  console.log(
    `${format.padEnd(5)} ${COUNT} inputs, ${counts.images} of them images, ${counts.slow} slow, ` +
      `slowest ${counts.slowestMs.toFixed(1)} ms, in ${seconds} s`,
  );
}
console.log(failures === 0 ? "No failures" : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);

function timed(bytes: Uint8Array): number {
  const start = performance.now();
  wasImage = checkCleaning(bytes);
  return performance.now() - start;
}
