import { type Check, changedTables, finding, ownRows, sendAgain } from "./exchange.ts";
import { byId } from "./operations.ts";
import type { Row } from "./pages.ts";
import type { ApiResponse } from "./send.ts";

const HEADER = "Idempotency-Key";
/**
 * Statuses with which a repeated request may be rejected: the first one can end the caller's access (rules 27.5),
 * or a limit may be reached (27.9).
 */
const REFUSED = new Set([401, 403, 429]);

/** Whether a response is the stored response of an earlier request. The records in it may have changed since. */
export const isReplay = ({ headers }: ApiResponse): boolean => headers.get("idempotent-replayed") === "true";

/**
 * Repeats a successful request that has an `Idempotency-Key`: it must get the stored response and change nothing (rules
 * 27.4).
 */
export const checkReplay: Check = async (exchange) => {
  const { plan, request, response, fixture, t } = exchange;
  const isAccepted = byId.get(plan.operation)?.parameters.some(({ name }) => name === HEADER);
  const key = (request.init.headers as Record<string, string>)[HEADER]?.trim();
  // A dry run writes nothing, not even its key.
  const isDryRun = (request.value as { dryRun?: unknown } | null)?.dryRun === true;
  if (!isAccepted || !key || isDryRun) return null;
  const before = await ownRows(t, fixture);
  const repeated = await sendAgain(exchange);
  if (REFUSED.has(repeated.status)) return null;
  const changed = changedTables(before, await ownRows(t, fixture));
  const problem = !isReplay(repeated)
    ? `is not replayed, but returns ${repeated.status}`
    : repeated.status !== response.status || !isSameBody(response.body, repeated.body)
      ? `is replayed as ${textOf(repeated)}`
      : changed.length > 0
        ? `is replayed and changes ${changed.join()}`
        : null;
  return finding("replayed", exchange, problem && `returned ${textOf(response)}\n    and ${problem}`);
};

const textOf = ({ status, body }: ApiResponse) => `${status} ${JSON.stringify(body).slice(0, 600)}`;

/** Compares two response bodies. A field that is returned only once, such as a token, is null in the second. */
function isSameBody(first: unknown, second: unknown): boolean {
  if (typeof first !== "object" || first === null || typeof second !== "object" || second === null)
    return first === second;
  const fields = { ...first, ...second };
  return Object.keys(fields).every((key) => {
    const [one, other] = [(first as Row)[key], (second as Row)[key]];
    return (typeof one === "string" && other === null) || isSameBody(one, other);
  });
}
