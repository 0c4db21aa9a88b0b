import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";
import { seesAll } from "./words.ts";
import type { World } from "./world.ts";

/** Limits and a busy machine tell nothing of a record. */
const OF_THE_MOMENT = new Set([429, 502, 503]);

/**
 * A refusal of what is another organization's is that of what does not exist (rules 2.5): the same request with an id of
 * nothing is refused in the same words. Whoever became a platform administrator may know of all.
 */
export async function toldOfExistence(
  plan: Plan,
  request: Sent,
  answer: Answer,
  world: World,
  unknownOf: () => Sent,
  url: string,
): Promise<Finding | null> {
  if (plan.attack === null || answer.status < 400 || OF_THE_MOMENT.has(answer.status)) return null;
  if (seesAll(plan, world)) return null;
  const unknown = unknownOf();
  if (unknown.path === request.path && unknown.init.body === request.init.body) return null;
  const other = await sendPatiently(url, unknown);
  if (OF_THE_MOMENT.has(other.status) || saidBy(answer) === saidBy(other)) return null;
  return {
    kind: "existence",
    what: `${request.line}\n    answered ${saidBy(answer)}\n    and with an id of nothing ${saidBy(other)}`,
  };
}

const saidBy = ({ status, body }: Answer): string =>
  JSON.stringify({ status, ...(body as object), requestId: undefined });
