import { Webhook } from "standardwebhooks";
import { until } from "../../support/cluster.ts";
import { ENDPOINTS, type Received, startReceiver } from "../../support/webhooks.ts";
import type { Client } from "./client.ts";
import { violationsOf } from "./invariants.ts";
import type { Person, SoakWorld } from "./people.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;

const DELIVERED = { seconds: 120 };
/** One in so many webhooks is refused, and one in so many gets no response in time. */
const REFUSED_ONE_IN = 5;
const SILENT_ONE_IN = 60;
const SILENT_MS = 16_000;

/** Starts a receiver of webhooks that fails at random until it is told to accept all. */
export function startUnreliableReceiver() {
  let isReliable = false;
  const accepted = new Set<string>();
  const receiver = startReceiver(async (one) => {
    if (!isReliable && Math.random() < 1 / SILENT_ONE_IN) await Bun.sleep(SILENT_MS);
    if (!isReliable && Math.random() < 1 / REFUSED_ONE_IN) return new Response(null, { status: 503 });
    accepted.add(idOf(one));
    return new Response("ok");
  });
  return {
    ...receiver,
    accepted,
    acceptAll: () => {
      isReliable = true;
    },
  };
}

type Receiver = ReturnType<typeof startUnreliableReceiver>;

const idOf = ({ headers }: Received) => headers.get("webhook-id") ?? "";

/** Registers the receiver for all events of each organization. Returns the secrets. */
export async function registerEndpoints(client: Client, worlds: SoakWorld[], url: string): Promise<string[]> {
  const secrets: string[] = [];
  for (const { people } of worlds) {
    const request = { method: "POST", path: ENDPOINTS, body: { url, eventTypes: ["*"] } };
    const response = await client.send(people.founder as Person, 0, request, [201]);
    secrets.push(String(response.body.secret));
  }
  return secrets;
}

/** Queries that find changes without their event, events without their number, and events without their delivery. */
const INVARIANTS: Record<string, string> = {
  "records without exactly one event of their creation": `
    WITH created (id, type) AS (
      SELECT id, 'todo.created' FROM todos WHERE created_at > '2026-01-02'
      UNION ALL SELECT id, 'unit.created' FROM units WHERE created_at > '2026-01-02'
      UNION ALL SELECT id, 'role.created' FROM roles WHERE organization_id IS NOT NULL AND created_at > '2026-01-02'
      UNION ALL SELECT id, 'ticket.created' FROM tickets WHERE organization_id IS NOT NULL
      UNION ALL SELECT id, 'invitation.created' FROM user_invitations)
    SELECT c.id, c.type, count(e.id)::int AS events FROM created c
    FULL JOIN (SELECT * FROM events WHERE type IN ('todo.created', 'unit.created', 'role.created', 'ticket.created',
      'invitation.created')) e ON e.object_id = c.id AND e.type = c.type
    GROUP BY c.id, c.type HAVING c.id IS NULL OR count(e.id) <> 1`,
  "tickets whose messages and events differ in number": `SELECT t.id FROM tickets t WHERE t.organization_id IS NOT NULL
    AND (SELECT count(*) FROM ticket_messages m WHERE m.ticket_id = t.id AND NOT (m.internal AND m.staff_scope = 'PLATFORM')) - 1
      <> (SELECT count(*) FROM events e WHERE e.type = 'ticket.message_created' AND e.data #>> '{object,ticketId}' = t.id::text)`,
  "organizations whose changes of roles differ in number between audit events and events": `
    SELECT o.id FROM organizations o WHERE
      (SELECT count(*) FROM audit_events a WHERE a.organization_id = o.id AND a.action = 'MEMBER_ROLES_CHANGED')
      <> (SELECT count(*) FROM events e WHERE e.organization_id = o.id AND e.type = 'member.updated'
          AND e.data -> 'previous' ? 'assignments')`,
  "organizations whose events are not numbered from 1 without a gap": `SELECT e.organization_id, count(*)::int AS events
    FROM events e JOIN event_sequences s USING (organization_id) GROUP BY 1, s.last_sequence
    HAVING min(e.sequence) <> 1 OR count(DISTINCT e.sequence) <> count(*) OR max(e.sequence) <> count(*) OR s.last_sequence <> count(*)`,
  "events without exactly one delivery": `SELECT e.id, e.type FROM events e JOIN webhook_endpoints w USING (organization_id)
    LEFT JOIN webhook_deliveries d ON d.event_id = e.id AND d.endpoint_id = w.id GROUP BY e.id, e.type, w.id HAVING count(d.id) <> 1`,
  "deliveries that did not succeed": "SELECT id, state FROM webhook_deliveries WHERE state <> 'SUCCEEDED'",
};

/** Waits until all events are numbered and delivered, and compares them with the changes and with what arrived. */
export async function webhookViolations(
  sql: Sql,
  receiver: Receiver,
  secrets: string[],
): Promise<{ violations: string[]; line: string }> {
  const { received, accepted } = receiver;
  receiver.acceptAll();
  const isDone = await until(async () => {
    await sql("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at > now()");
    await sql(
      "UPDATE webhook_endpoints SET next_due_at = now(), hour_attempts = 0 WHERE next_due_at > now()",
    );
    const left = await sql(`SELECT FROM event_outbox UNION ALL
      SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL LIMIT 1`);
    return left.length === 0 ? true : null;
  }, DELIVERED).catch(() => false);
  const violations = isDone ? [] : ["events or webhooks that wait forever"];
  violations.push(...(await violationsOf(sql, INVARIANTS)));
  const delivered = await sql("SELECT DISTINCT event_id AS id FROM webhook_deliveries");
  const ids = new Set(delivered.map(({ id }) => String(id)));
  for (const id of ids) if (!accepted.has(id)) violations.push(`webhook ${id} succeeded and never arrived`);
  const bodies = new Map<string, string>();
  for (const one of received) {
    const id = idOf(one);
    if (!ids.has(id)) violations.push(`webhook ${id} is of no delivery`);
    if ((bodies.get(id) ?? one.body) !== one.body) violations.push(`webhook ${id} was sent with two bodies`);
    bodies.set(id, one.body);
    if (!isSigned(one, secrets)) violations.push(`webhook ${id} is not signed`);
  }
  const line = `webhooks: ${ids.size} events arrived in ${received.length} requests`;
  return { violations, line };
}

/** Checks a signature for the time that the request names, because the clocks of instances are moved. */
const isSigned = ({ headers, body }: Received, secrets: string[]) =>
  secrets.some((secret) => {
    const time = new Date(Number(headers.get("webhook-timestamp")) * 1_000);
    return (
      new Webhook(secret).sign(headers.get("webhook-id") ?? "", time, body) ===
      headers.get("webhook-signature")
    );
  });
