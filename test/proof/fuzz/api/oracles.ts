import { assertDocumented } from "../../../support/document.ts";
import { credentialOf, refusalOf } from "./access.ts";
import { claimsOf } from "./claims.ts";
import { type Check, type Exchange, finding } from "./exchange.ts";
import { actsAsPlatformAdmin, findForbiddenMarker, visibleOrganizations, visibleTo } from "./markers.ts";
import { operationSet } from "./operations.ts";
import type { BuiltRequest } from "./send.ts";
import { ID_KINDS } from "./values.ts";

/** The maximum length of the URL and all headers together; Bun's limit is 16 KB. */
const MAX_HEAD_LENGTH = 15_000;
const headLength = ({ path, init }: BuiltRequest) => path.length + JSON.stringify(init.headers).length;

/** Patterns of internal data that no response may contain. */
const INTERNAL = /\$argon2|\b(password|token|code)_?hash\b|\bsealed_?secret\b|\bstorage_?key\b/i;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Checks a response by itself. Reports:
 * - a status of 500 or more (except 502 and 503 while the payment provider is unavailable)
 * - a status, code or body that the OpenAPI document does not declare for the operation
 * - a marker or an id of an organization that the caller must not see
 */
export const checkResponse: Check = (exchange) => {
  const { plan, request, response, fixture, isProviderAway, sentIds } = exchange;
  const { status, body, headers, text } = response;
  const found = (kind: Parameters<typeof finding>[0], problem: string) =>
    finding(kind, exchange, `returned ${status} ${JSON.stringify(body)?.slice(0, 600)}\n    ${problem}`);
  if (status >= 500 && !(isProviderAway && (status === 502 || status === 503)))
    return found("server error", "");
  // Bun itself rejects such a request, before the service receives it.
  if (status === 431 && headLength(request) > MAX_HEAD_LENGTH) return null;
  try {
    assertDocumented(request.method, request.path, { status, body, headers });
  } catch (error) {
    return found("undocumented", String(error).slice(0, 1000));
  }
  if (INTERNAL.test(text)) return found("leak", "contains internal data");
  const violation = status < 300 ? findAccessViolation(exchange) : null;
  if (violation !== null) return found("access", `although ${violation}`);
  const idProblem = findRequestIdProblem(request, headers);
  if (idProblem !== null) return found("header", idProblem);
  const sentBody = typeof request.init.body === "string" ? request.init.body : "";
  const requestText = `${request.path} ${JSON.stringify(request.init.headers)} ${sentBody}`;
  for (const [id] of requestText.matchAll(UUID)) sentIds.add(id);
  if (plan.credentials === "cookie of another") return null;
  const marker = findForbiddenMarker(plan, fixture, text);
  if (marker !== null) return found("leak", `contains ${marker}`);
  if (actsAsPlatformAdmin(plan, fixture)) return null;
  const visible = visibleOrganizations(plan, fixture);
  for (const [id] of text.matchAll(UUID)) {
    const owner = fixture.organizationById.get(id);
    if (owner !== undefined && !visible.includes(owner) && !sentIds.has(id))
      return found("leak", `contains ${id}, which is of another organization (${owner})`);
  }
  return null;
};

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Checks the request id of a response: it must be the one that was sent if that was valid (rules 1.8), otherwise a
 * new one.
 */
function findRequestIdProblem({ init }: BuiltRequest, headers: Headers): string | null {
  const sent = (init.headers as Record<string, string>)["X-Request-Id"]?.trim();
  const received = headers.get("x-request-id") ?? "";
  const isCorrect =
    sent !== undefined && REQUEST_ID.test(sent)
      ? received === sent
      : REQUEST_ID.test(received) && received !== sent;
  return isCorrect ? null : `has the request id ${received}`;
}

/**
 * Returns the reason why a successful request should have been rejected: its caller has no access, or it contains
 * ids of another organization. Returns null if there is none.
 */
function findAccessViolation(exchange: Exchange): string | null {
  const { plan, request, fixture } = exchange;
  const { organizationById } = fixture;
  const { operation, caller, credentials } = plan;
  const { method, params, token } = request;
  const claims = token === null || credentials === "forged" ? null : claimsOf(token);
  const refusal = refusalOf(operation, claims, credentialOf(token));
  if (refusal !== null || claims?.isPlatformAdmin) return refusal;
  if (operation === MOVE && credentialOf(token) === "app" && "parentId" in Object(request.value))
    return "no app may move a unit";
  if (operation === WITHDRAW) return null;
  const ids = [...Object.values(params), ...(method === "GET" ? [] : idsIn(acceptedPart(exchange)))];
  const foreign = ids.find((id) => {
    const owner = organizationById.get(id);
    return owner !== undefined && !visibleTo(caller, fixture).includes(owner);
  });
  return foreign === undefined
    ? null
    : `${foreign} is of another organization (${organizationById.get(foreign)})`;
}

/** Whoever asked to join an organization is no member yet, and a request that does not exist is withdrawn with 204. */
const [WITHDRAW = ""] = operationSet("withdrawJoinRequest");
const [MOVE = ""] = operationSet("updateUnit");
const [INVITE_MANY = ""] = operationSet("inviteMany");

/** Returns the part of a request's body that was accepted: many invitations are refused one by one. */
function acceptedPart({ plan, request, response }: Exchange): unknown {
  const { value } = request;
  if (plan.operation !== INVITE_MANY) return value;
  const outcomes = (response.body as { rows: { outcome: string }[] }).rows;
  const { rows } = value as { rows: unknown[] };
  return rows.filter((_, index) => outcomes[index]?.outcome !== "refused");
}

/** Returns the ids in the fields of a body that refer to records. */
function idsIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return name in ID_KINDS ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => idsIn(item, key));
}
