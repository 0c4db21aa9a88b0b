import { type Check, finding } from "./exchange.ts";
import { actsAsPlatformAdmin } from "./markers.ts";
import { type ApiResponse, sendWithRetries } from "./send.ts";

/** Statuses of limits and of a busy machine, which do not depend on a record. */
const TRANSIENT_STATUSES = new Set([429, 502, 503]);

/**
 * Compares the rejection of a request for another organization's record with that of the same request for an id
 * that does not exist. Both must be equal (rules 2.5). Requests of platform administrators are not compared.
 */
export const checkExistenceDisclosure: Check = async (exchange) => {
  const { plan, request, response, fixture, t } = exchange;
  if (plan.attack === null || response.status < 400 || TRANSIENT_STATUSES.has(response.status)) return null;
  if (actsAsPlatformAdmin(plan, fixture)) return null;
  const unknown = exchange.withUnknownId();
  if (unknown.path === request.path && unknown.init.body === request.init.body) return null;
  const other = await sendWithRetries(t.url, unknown);
  if (TRANSIENT_STATUSES.has(other.status) || refusalText(response) === refusalText(other)) return null;
  const problem = `returned ${refusalText(response)}\n    and for an unknown id ${refusalText(other)}`;
  return finding("existence", exchange, problem);
};

const refusalText = ({ status, body }: ApiResponse): string =>
  JSON.stringify({ status, ...(body as object), requestId: undefined });
