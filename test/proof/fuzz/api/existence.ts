import type { Fixture } from "./fixture.ts";
import { actsAsPlatformAdmin } from "./markers.ts";
import type { Finding } from "./oracles.ts";
import type { RequestPlan } from "./requests.ts";
import { type ApiResponse, type BuiltRequest, sendWithRetries } from "./send.ts";

/** Statuses of limits and of a busy machine, which do not depend on a record. */
const TRANSIENT_STATUSES = new Set([429, 502, 503]);

/**
 * Compares the rejection of a request for another organization's record with that of the same request for an id
 * that does not exist. Both must be equal (rules 2.5). Requests of platform administrators are not compared.
 */
export async function checkExistenceDisclosure(
  plan: RequestPlan,
  request: BuiltRequest,
  response: ApiResponse,
  fixture: Fixture,
  unknownOf: () => BuiltRequest,
  url: string,
): Promise<Finding | null> {
  if (plan.attack === null || response.status < 400 || TRANSIENT_STATUSES.has(response.status)) return null;
  if (actsAsPlatformAdmin(plan, fixture)) return null;
  const unknown = unknownOf();
  if (unknown.path === request.path && unknown.init.body === request.init.body) return null;
  const other = await sendWithRetries(url, unknown);
  if (TRANSIENT_STATUSES.has(other.status) || refusalText(response) === refusalText(other)) return null;
  return {
    kind: "existence",
    what: `${request.line}\n    returned ${refusalText(response)}\n    and for an unknown id ${refusalText(other)}`,
  };
}

const refusalText = ({ status, body }: ApiResponse): string =>
  JSON.stringify({ status, ...(body as object), requestId: undefined });
