import type { Service } from "../../../support/service.ts";
import { refusalOf } from "./access.ts";
import { type Check, changedTables, changesOf, type Exchange, finding, ownRows } from "./exchange.ts";
import type { Fixture } from "./fixture.ts";
import { actsAsPlatformAdmin, visibleTo } from "./markers.ts";
import { byId, operationSet } from "./operations.ts";
import type { RequestPlan } from "./requests.ts";

/*
 * Compares the rows of the callers' organization before and after a request. A request must change nothing if it
 * only reads, is rejected or comes from another organization. An audited change must write an event.
 */

/**
 * The share of requests whose rows are compared: one in this number, and most writes of audited routes. Reading the
 * rows costs as much as the request.
 */
const ONE_IN = 6;
const AUDITED_ROUTES = /^\/api\/(units|roles|members|organizations?|webhooks)\b/;
/** Tables that payments and sign-ins change. They are not compared. */
const IGNORED_TABLES = new Set(["organization_subscriptions", "users"]);
const UNAUDITED_TABLES = new Set(["todos", "tickets", "ticket_messages", "event_outbox", "oauth_grants"]);
/** Tables whose changes write an event for other systems (rules 29.1). */
const TABLES_WITH_EVENTS = new Set("units roles membership_assignments todos webhook_endpoints".split(" "));
/**
 * Audited operations on tables without audit. Only the first reply to a ticket is audited, so replies are not
 * listed.
 */
const AUDITED_TICKET_OPERATIONS = operationSet("setOrganizationTicketStatus");
/**
 * Operations without an event of the organization: the events of a deletion and of a change of email have no organization, and a
 * change of a name is not audited. Memberships have copies of email and name to sort by.
 */
const EMAIL_CHANGES = ["confirmEmailChange", "undoEmailChange"];
const WITHOUT_EVENT = operationSet(
  ...["deleteOrganization", "updateProfile", ...EMAIL_CHANGES],
  // Ends the identities of the person; its event has no organization (rules 44.9).
  "setPlatformAdmin",
);
/** Deletions of accounts, which end a request to join without an event of the organization, as the person's withdrawal does. */
const ENDS_JOIN_REQUESTS = operationSet("deleteUser", "deleteProfile");
/**
 * Operations whose changes have no event for other systems: also a new secret, and the end of a connection, after which members
 * have the roles that it gave by hand (rules 41.8).
 */
const WITHOUT_OUTGOING_EVENT = operationSet(...WITHOUT_EVENT, "rotateWebhookSecret", "deleteConnection");

/** The callback of a connection makes people members and sets their roles. */
const [CALLBACK = ""] = operationSet("finishConnectionSignIn");
/** Operations that end what apps were allowed although they are refused: a code or a refresh token was stolen (rules 5.8, 46). */
const ENDS_GRANTS = operationSet("issueOAuthTokens", "refresh", "switchOrganization");
const ENDED_BY_REFUSAL = new Set(["oauth_grants", "audit_events", "event_outbox"]);
/** Reads that are audited if a platform administrator sends them. */
const AUDITED_READS = operationSet("exportOrganizationAuditEvents", "exportAuditEvents");

/** Removes times: a todo that gets the values that it has is written with a new `updated_at`, but has no event. */
const withoutTimes = (rows = "") => rows.replaceAll(/"\d{4}-\d\d-\d\d [\d:.+]+"/g, "");

/** Reads the rows before a request. Returns null if the request is not selected for comparison. */
export async function rowsBefore(
  { operation, sampleKey }: RequestPlan,
  fixture: Fixture,
  t: Service,
): Promise<Exchange["rows"]> {
  const { method = "", path = "" } = byId.get(operation) ?? {};
  const isAuditedWrite = method !== "GET" && AUDITED_ROUTES.test(path) && sampleKey % 3 !== 0;
  return isAuditedWrite || sampleKey % ONE_IN === 0 ? ownRows(t, fixture) : null;
}

/** Finds rows that a request changed although it must not, or changed without an event. */
export const checkChanges: Check = async (exchange) => {
  const { plan, fixture, rows: before, t } = exchange;
  if (before === null) return null;
  const after = await ownRows(t, fixture);
  const changed = changedTables(before, after).filter((table) => !IGNORED_TABLES.has(table));
  if (changed.length === 0) return null;
  if (AUDITED_READS.has(plan.operation) && changed.every((table) => table === "audit_events")) return null;
  const hasOutgoing = changed.some(
    (table) => TABLES_WITH_EVENTS.has(table) && withoutTimes(before[table]) !== withoutTimes(after[table]),
  );
  const problem = problemOf(exchange, changed, hasOutgoing);
  const text = `${problem}, and changed ${changesOf(changed, before, after)}`;
  return problem === null ? null : finding("changed", exchange, text);
};

function problemOf({ plan, response, fixture }: Exchange, changed: string[], hasOutgoing: boolean) {
  const { operation } = plan;
  const isPlatformAdmin = actsAsPlatformAdmin(plan, fixture);
  const isPublic = refusalOf(operation, null) === null;
  // The event of a platform administrator's request has no organization.
  const isAuditedTicket = AUDITED_TICKET_OPERATIONS.has(operation) && !isPlatformAdmin;
  const isAudited = changed.some(
    (table) =>
      (!UNAUDITED_TABLES.has(table) || isAuditedTicket) &&
      !(table === "join_requests" && ENDS_JOIN_REQUESTS.has(operation)),
  );
  if (byId.get(operation)?.method === "GET" && operation !== CALLBACK) return "only reads";
  if (
    response.status >= 400 &&
    changed.some((table) => !ENDED_BY_REFUSAL.has(table) || !ENDS_GRANTS.has(operation))
  )
    return `was refused with ${response.status}`;
  if (!isPublic && !isPlatformAdmin && !visibleTo(plan.caller, fixture).includes("own"))
    return "is from another organization";
  if (isAudited && !changed.includes("audit_events") && !WITHOUT_EVENT.has(operation))
    return "wrote no audit event";
  return hasOutgoing && !changed.includes("event_outbox") && !WITHOUT_OUTGOING_EVENT.has(operation)
    ? "wrote no event for other systems"
    : null;
}
