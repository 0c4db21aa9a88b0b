import { systemCall } from "../../src/core/context.ts";
import { audit, type Target } from "../../src/core/effects/audit.ts";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import { makeUp } from "./document.ts";
import { expectStatus, type Service } from "./service.ts";

export const EVENTS = "/api/organization/audit-events";
export const ALL_EVENTS = "/api/audit-events";

export type AuditEvent = {
  id: string;
  action: string;
  actor: { id: string; email: string } | null;
  actorId: string | null;
  actorType: "user" | "service_account" | null;
  serviceAccount: { id: string; name: string; keyId: string } | null;
  client: { id: string; name: string; grantId: string } | null;
  targetType: string | null;
  targetId: string | null;
  organizationId: string | null;
  metadata: Record<string, unknown>;
  ip: string | null;
  requestId: string | null;
  time: string;
  product: boolean;
  text: { en: string; el: string } | null;
};
export type Page = { data: AuditEvent[]; total: number; page: number; pageSize: number };

type Options = { path?: string; headers?: Record<string, string> };

/** Reads a page of audit events, by default the organization's. */
export const eventPage = async (
  caller: Caller,
  query = "",
  { path = EVENTS, headers = {} }: Options = {},
): Promise<Page> => expectStatus(await caller.get(`${path}?${query}`, { headers }), 200).body;

/** Reads all pages of audit events; throws if the total is not the number of events. */
export async function allEvents(caller: Caller, query = "", options: Options = {}): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  for (let number = 1; ; number += 1) {
    const { data, total } = await eventPage(caller, `pageSize=100&page=${number}&${query}`, options);
    events.push(...data);
    if (data.length === 100) continue;
    if (total !== events.length) throw new Error(`${total} in total, but ${events.length} on all pages`);
    return events;
  }
}

export type Stored = {
  action?: string;
  actorId?: string | null;
  targetType?: string | null;
  targetId?: string | null;
  organizationId?: string | null;
  metadata?: Record<string, unknown>;
  ip?: string | null;
  requestId?: string | null;
  time?: string;
};

/** Inserts an event without the change that it describes; returns its id. */
export async function storeEvent(t: Service, event: Stored): Promise<string> {
  const { id } = exactlyOne(
    await makeUp(
      t.sql<{ id: string }>(
        `INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id, time)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, COALESCE($9::timestamptz, now())) RETURNING id`,
        [
          event.action ?? "UNIT_UPDATED",
          event.actorId ?? null,
          event.targetType ?? null,
          event.targetId ?? null,
          event.organizationId ?? null,
          event.metadata ?? {},
          event.ip ?? null,
          event.requestId ?? null,
          event.time ?? null,
        ],
      ),
    ),
  );
  return id;
}

/**
 * Inserts named events of an organization; returns a function that lists the names of those visible to a caller, in
 * order.
 */
export async function storeEvents(t: Service, organization: { id: string }, events: Record<string, Stored>) {
  const names = new Map<string, string>();
  for (const [name, event] of Object.entries(events))
    names.set(await storeEvent(t, { organizationId: organization.id, ...event }), name);
  return async (caller: Caller, query = "", options: Options = {}): Promise<string[]> =>
    (await allEvents(caller, query, options)).flatMap(({ id }) => names.get(id) ?? []);
}

type WrittenEvent = {
  actorId?: string | null;
  target: Target | null;
  mentions?: (string | null)[];
  metadata?: Record<string, unknown>;
};

/** Writes an event with `audit()`, for actions that no route writes in the required form; returns its request id. */
export async function writeEvent(
  t: Service,
  organization: { id: string },
  event: WrittenEvent,
  action: string = "UNIT_UPDATED",
) {
  const requestId = newRequestId();
  await transaction({ ...systemCall(t.running), requestId }, (tx) =>
    audit(tx, action as never, { ...event, organizationId: organization.id } as never),
  );
  await makeUp([{ id: requestId }]);
  return requestId;
}

const newRequestId = () => `test-${crypto.randomUUID()}`;

/** Sends a request that must succeed; returns the request id of its events. */
export async function traced(send: (options: { headers: Record<string, string> }) => Promise<ApiResponse>) {
  const requestId = newRequestId();
  const response = await send({ headers: { "x-request-id": requestId } });
  if (response.status >= 300) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return requestId;
}

/** Lists the events of a request that the caller may read. */
export const eventsOfRequest = (caller: Caller, requestId: string) =>
  allEvents(caller, `search=${requestId}`);

/** Makes every insert of an audit event fail while `work` runs. */
export async function withFailingAudit<T>(t: Service, work: () => Promise<T>): Promise<T> {
  await t.sql(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no events today'; END $$`);
  await t.sql("CREATE TRIGGER fail BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION fail()");
  try {
    return await work();
  } finally {
    await t.sql("DROP TRIGGER fail ON audit_events");
    await t.sql("DROP FUNCTION fail");
  }
}
