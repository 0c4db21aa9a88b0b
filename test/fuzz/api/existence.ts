import { claimsOf } from "../../support/caller.ts";
import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";

/** Limits and a busy machine tell nothing of a record. */
const OF_THE_MOMENT = new Set([429, 502, 503]);

/**
 * A refusal of what is another organization's is that of what does not exist (rules 2.5): the same request with an id of
 * nothing is refused in the same words. Whoever became a platform administrator may know of all.
 */
export async function toldOfExistence(
  { attack }: Plan,
  request: Sent,
  answer: Answer,
  unknown: Sent,
  url: string,
): Promise<Finding | null> {
  if (request.token !== null && claimsOf(request.token).isPlatformAdmin) return null;
  const isSame = unknown.path === request.path && unknown.init.body === request.init.body;
  if (attack === null || isSame || answer.status < 400 || OF_THE_MOMENT.has(answer.status)) return null;
  const other = await sendPatiently(url, unknown);
  if (OF_THE_MOMENT.has(other.status) || saidBy(answer) === saidBy(other)) return null;
  return {
    kind: "existence",
    what: `${request.line}\n    answered ${saidBy(answer)}\n    and with an id of nothing ${saidBy(other)}`,
  };
}

const saidBy = ({ status, body }: Answer): string =>
  JSON.stringify({ status, ...(body as object), requestId: undefined });
