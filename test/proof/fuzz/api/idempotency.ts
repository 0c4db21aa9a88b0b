import type { Service } from "../../../support/service.ts";
import type { Fixture } from "./fixture.ts";
import { byId } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import type { Row } from "./pages.ts";
import type { RequestPlan } from "./requests.ts";
import { type ApiResponse, type BuiltRequest, sendWithRetries } from "./send.ts";
import { readTableRows } from "./table-rows.ts";

/*
 * Checks that a request repeated with its `Idempotency-Key` gets the stored response and changes nothing (rules
 * 27.4).
 */

const HEADER = "Idempotency-Key";
const UNKNOWN_USER = "00000000-0000-7000-8000-000000000000";
/**
 * Statuses with which a repeated request may be rejected: the first one can end the caller's access (rules 27.5),
 * or a limit may be reached (27.9).
 */
const REFUSED = new Set([401, 403, 429]);

/** Whether a response is the stored response of an earlier request. The records in it may have changed since. */
export const isReplay = ({ headers }: ApiResponse): boolean => headers.get("idempotent-replayed") === "true";

/** Repeats a successful request that has an `Idempotency-Key`, and compares both responses and the rows before and after. */
export async function checkReplay(
  { operation }: RequestPlan,
  request: BuiltRequest,
  response: ApiResponse,
  { organizations: { own } }: Fixture,
  t: Service,
): Promise<Finding | null> {
  const isAccepted = byId.get(operation)?.parameters.some(({ name }) => name === HEADER);
  const key = (request.init.headers as Record<string, string>)[HEADER]?.trim();
  if (!isAccepted || !key) return null;
  const before = await readTableRows(t, own.id, UNKNOWN_USER);
  const repeated = await sendWithRetries(t.url, request);
  if (REFUSED.has(repeated.status)) return null;
  const after = await readTableRows(t, own.id, UNKNOWN_USER);
  const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
  const problem = !isReplay(repeated)
    ? `is not replayed, but returns ${repeated.status}`
    : repeated.status !== response.status || !isSameBody(response.body, repeated.body)
      ? `is replayed as ${repeated.status} ${JSON.stringify(repeated.body).slice(0, 600)}`
      : changed.length > 0
        ? `is replayed and changes ${changed.join()}`
        : null;
  if (problem === null) return null;
  const first = `${response.status} ${JSON.stringify(response.body).slice(0, 600)}`;
  return { kind: "replayed", what: `${request.line}\n    returned ${first}\n    and ${problem}` };
}

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
