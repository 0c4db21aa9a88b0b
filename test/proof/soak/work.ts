import { type Random, randomOf } from "../../support/image-mutations.ts";
import { OF_ACCOUNTS } from "./work-of-accounts.ts";
import { OF_BILLING } from "./work-of-billing.ts";
import { OF_EXPORTS } from "./work-of-exports.ts";
import { OF_GUESTS } from "./work-of-guests.ts";
import { OF_HELPDESK } from "./work-of-helpdesk.ts";
import { OF_ORGANIZATIONS } from "./work-of-organizations.ts";
import { OF_OWN } from "./work-of-own.ts";
import { OF_SEATS } from "./work-of-seats.ts";
import type { Weighted, Workplace } from "./workplace.ts";

const WORK: Weighted = [
  ...[
    ...OF_OWN,
    ...OF_ACCOUNTS,
    ...OF_EXPORTS,
    ...OF_ORGANIZATIONS,
    ...OF_SEATS,
    ...OF_BILLING,
    ...OF_GUESTS,
    ...OF_HELPDESK,
  ],
];
const TOTAL = WORK.reduce((sum, [weight]) => sum + weight, 0);

/** Does one piece of work, chosen by the seed. */
export async function workOnce(w: Workplace, random: Random, text: string): Promise<void> {
  let left = random(TOTAL);
  for (const [weight, work] of WORK) {
    left -= weight;
    if (left < 0) return work(w, random, text);
  }
}

/** Begins every kind of work, the usual ones oftener, each at a moment of its own within a time, so that a fault meets all of it. */
export const workAtOnce = (
  w: Workplace,
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

/** Does every kind of work once, so that a run on a slow machine has seen each too. */
export async function workOnAll(w: Workplace, random: Random, text: string): Promise<void> {
  for (const [index, [, work]] of WORK.entries()) await work(w, random, `${text} ${index}`);
}
