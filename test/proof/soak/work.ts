import { type Random, randomOf } from "../../support/image-mutations.ts";
import { BILLING_WORK } from "./work-billing.ts";
import type { Weighted, WorkContext } from "./work-context.ts";
import { RECORD_WORK } from "./work-records.ts";
import { SEAT_WORK } from "./work-seats.ts";

const WORK: Weighted = [...RECORD_WORK, ...SEAT_WORK, ...BILLING_WORK];
const TOTAL = WORK.reduce((sum, [weight]) => sum + weight, 0);

/** Runs one work item, chosen by the seed. */
export async function doRandomWork(w: WorkContext, random: Random, text: string): Promise<void> {
  let left = random(TOTAL);
  for (const [weight, work] of WORK) {
    left -= weight;
    if (left < 0) return void (await work(w, random, text));
  }
}

/**
 * Starts every kind of work at random times within a period, so that a fault affects all kinds. Kinds with more
 * weight start more often.
 */
export const startAllWork = (
  w: WorkContext,
  random: Random,
  text: string,
  withinMs: number,
): Promise<unknown>[] =>
  WORK.flatMap(([weight, work], kind) =>
    Array.from({ length: Math.ceil(weight / 5) }, async (_, index) => {
      const own = randomOf(random(1e9));
      await Bun.sleep(own(withinMs));
      await work(w, own, `${text} ${kind} ${index}`);
    }),
  );

/** Runs every kind of work once, so that a run on a slow machine includes each kind. */
export async function doAllWork(w: WorkContext, random: Random, text: string): Promise<void> {
  for (const [index, [, work]] of WORK.entries()) await work(w, random, `${text} ${index}`);
}
