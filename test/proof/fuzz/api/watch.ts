import type { Service } from "../../../support/service.ts";
import { refusalOf } from "./access.ts";
import { SEES } from "./callers.ts";
import { fingerprint } from "./closed.ts";
import { byId } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import type { Answer, Sent } from "./send.ts";
import { seesAll } from "./words.ts";
import type { World } from "./world.ts";

/*
 * What a request changes of the callers' own organization: nothing, if it only reads, if it was refused, or if its sender
 * is of another organization; and nothing that is audited without an event.
 */

/** Of some requests the rows are compared, because that costs as much as the request: of those that are audited, if they change something, most. */
const ONE_IN = 6;
const OFTEN_AUDITED = /^\/api\/(units|roles|members|organizations?)\b/;
const NOBODY = "00000000-0000-7000-8000-000000000000";
/** Changed by payments, and by sign-ins. */
const UNWATCHED = new Set(["organization_subscriptions", "users"]);
const UNAUDITED = new Set(["todos", "tickets", "ticket_messages"]);
/** Changes of a ticket that are audited; of an answer only the first is one. */
const OF_TICKETS = new Set(["setOrganizationTicketStatus"]);
/** Whose event has no organization, and what has none: by their names members are sorted. */
const WITHOUT_EVENT = new Set(["deleteOrganization", "updateProfile"]);

/** Reads of platform administrators that are audited. */
const AUDITED_READS = new Set(["exportOrganizationAuditEvents", "exportAuditEvents"]);

type Rows = Record<string, string>;

/** The rows before a request, where they are to be compared. */
export async function rowsBefore({ operation, dice }: Plan, world: World, t: Service): Promise<Rows | null> {
  const { method = "", path = "" } = byId.get(operation) ?? {};
  const isOften = method !== "GET" && OFTEN_AUDITED.test(path) && dice % 3 !== 0;
  return isOften || dice % ONE_IN === 0 ? fingerprint(t, world.organizations.own.id, NOBODY) : null;
}

/** What a request should not have changed, or not in silence. */
export async function wrongChange(
  plan: Plan,
  request: Sent,
  answer: Answer,
  before: Rows | null,
  world: World,
  t: Service,
): Promise<Finding | null> {
  if (before === null) return null;
  const after = await fingerprint(t, world.organizations.own.id, NOBODY);
  const changed = Object.keys(before).filter(
    (table) => before[table] !== after[table] && !UNWATCHED.has(table),
  );
  if (changed.length === 0) return null;
  if (AUDITED_READS.has(plan.operation) && changed.every((table) => table === "audit_events")) return null;
  const isPublic = refusalOf(plan.operation, null) === null;
  const isStranger = !isPublic && !seesAll(plan, world) && !SEES[plan.caller].includes("own");
  // The event of a platform administrator has no organization.
  const isOfTickets = OF_TICKETS.has(plan.operation) && !seesAll(plan, world);
  const audited = changed.filter((table) => !UNAUDITED.has(table) || isOfTickets);
  const problem =
    byId.get(plan.operation)?.method === "GET"
      ? "only reads"
      : answer.status >= 400
        ? `was refused with ${answer.status}`
        : isStranger
          ? "is from another organization"
          : audited.length > 0 && !audited.includes("audit_events") && !WITHOUT_EVENT.has(plan.operation)
            ? "wrote no event"
            : null;
  if (problem === null) return null;
  const rows = changed.map((table) => `${table} was\n${before[table]}\n    and is\n${after[table]}`);
  return {
    kind: "changed",
    what: `${request.line}\n    ${problem}, and changed ${rows.join("\n")}`.slice(0, 3000),
  };
}
