import type { Random } from "../support/image-mutations.ts";
import { OF_HELPDESK } from "./work-of-helpdesk.ts";
import { OF_ORGANIZATIONS } from "./work-of-organizations.ts";
import { OF_OWN } from "./work-of-own.ts";
import type { Weighted, Workplace } from "./workplace.ts";

const WORK: Weighted = [...OF_OWN, ...OF_ORGANIZATIONS, ...OF_HELPDESK];
const TOTAL = WORK.reduce((sum, [weight]) => sum + weight, 0);

/** Does one piece of work, chosen by the seed. */
export async function workOnce(w: Workplace, random: Random, text: string): Promise<void> {
  let left = random(TOTAL);
  for (const [weight, work] of WORK) {
    left -= weight;
    if (left < 0) return work(w, random, text);
  }
}

/** Does every kind of work once, so that a run on a slow machine has seen each too. */
export async function workOnAll(w: Workplace, random: Random, text: string): Promise<void> {
  for (const [index, [, work]] of WORK.entries()) await work(w, random, `${text} ${index}`);
}
