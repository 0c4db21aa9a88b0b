import { type Check, finding, readAgain } from "./exchange.ts";
import { byId, operationSet, operations } from "./operations.ts";
import type { Row } from "./pages.ts";

/* Checks that a write returns the fields as they were sent, and that a read after the write returns the same. */

/** Fields that the service normalizes: a URL becomes its path (rules 20.12). */
const NORMALIZED_FIELDS = new Set(["pagePath"]);

/**
 * Writes whose response does not describe the record that the GET of the same path returns. For example, the
 * response contains the requested email and not the present one.
 */
const OTHER_RESPONSES = new Set(["requestEmailChange"]);

/** Null stands for what the operator configured, which is returned (rules 46). */
const [UPDATE_ORGANIZATION = ""] = operationSet("updateOrganization");

/** Compares the response of a write with its body, and with a read after it. */
export const checkWrite: Check = async (exchange) => {
  const { request, plan } = exchange;
  const { method, path = "" } = byId.get(plan.operation) ?? {};
  const written = exchange.response.body;
  if ((method !== "POST" && method !== "PATCH") || !isObject(written)) return null;
  const sent = isObject(request.value) ? { ...request.value } : {};
  if (plan.operation === UPDATE_ORGANIZATION && sent.connectedApps === null) delete sent.connectedApps;
  const lost = Object.keys(sent).find(
    (key) => key in written && !NORMALIZED_FIELDS.has(key) && differs(sent[key], written[key]),
  );
  if (lost !== undefined)
    return finding("written", exchange, `returns ${lost} ${JSON.stringify(written[lost])}`);
  const isCreated = method === "POST" && typeof written.id === "string";
  const read = operations.find(
    (one) => one.method === "GET" && one.path === (isCreated ? `${path}/{id}` : path),
  );
  if (read === undefined || OTHER_RESPONSES.has(plan.operation)) return null;
  const [requestPath = ""] = request.path.split("?");
  const readPath = isCreated ? `${requestPath}/${written.id}` : requestPath;
  const { status, body } = await readAgain(exchange, readPath);
  // Setup links add domains, but read no single one (rules 45.4).
  if (status === 403 || (status === 401 && plan.caller === "setter") || !isObject(body)) return null;
  const changed = Object.keys(written).find(
    (key) => key in body && JSON.stringify(written[key]) !== JSON.stringify(body[key]),
  );
  if (status === 200 && changed === undefined) return null;
  const [before, after] = [written, body].map((record) => JSON.stringify(record).slice(0, 300));
  return finding("written", exchange, `returned ${before}\n    and ${readPath} ${status} ${after}`);
};

const isObject = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Compares texts (only ASCII, without spaces at the ends and without case), booleans and null. Other values are not
 * compared.
 */
function differs(sent: unknown, written: unknown): boolean {
  if (typeof sent === "string" && typeof written === "string")
    return /^[\x20-\x7e]*$/.test(sent) && sent.trim().toLowerCase() !== written.trim().toLowerCase();
  return (typeof sent === "boolean" || sent === null) && sent !== written;
}
