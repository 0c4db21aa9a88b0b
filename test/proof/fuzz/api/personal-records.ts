import { type Claims, permissionOf } from "./access.ts";
import { claimsOf } from "./claims.ts";
import { type Check, finding } from "./exchange.ts";
import { operationSet } from "./operations.ts";

/*
 * Finds records of another person in a response that the caller may not read. Routes for the caller's own records
 * must return no others, whatever permissions the caller has.
 */

/** Finds the kind and the owner of records by their ids. */
const OWNERS = `
  SELECT 'todo' AS kind, id, user_id AS owner FROM todos WHERE id = ANY ($1)
  UNION ALL SELECT 'ticket', id, reporter_id FROM tickets WHERE id = ANY ($1)
  UNION ALL SELECT 'message', m.id, t.reporter_id FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id
    WHERE m.id = ANY ($1)
  UNION ALL SELECT 'event', id, actor_id FROM audit_events WHERE id = ANY ($1)
  UNION ALL SELECT 'notification', id, user_id FROM notifications WHERE id = ANY ($1)
  UNION ALL SELECT 'connected app', id, user_id FROM oauth_grants WHERE id = ANY ($1)
  UNION ALL SELECT 'session', session_id, user_id FROM refresh_tokens WHERE session_id = ANY ($1)`;
type Owned = { kind: string; id: string; owner: string | null };

/**
 * The permissions to read other people's records, by kind of record. Only platform administrators read other kinds.
 */
const READ_PERMISSIONS: Record<string, RegExp> = {
  todo: /^Todos\..*Any$/,
  ticket: /^Helpdesk\./,
  message: /^Helpdesk\./,
  event: /^Audit\.Read$/,
  "connected app": /^ConnectedApps\.Read$/,
};
/** Operations about own records that require a permission. */
const OWN_BY_PERMISSION = operationSet("listTodos");
const isOwn = (operation: string) =>
  permissionOf(operation) === "signed-in" || OWN_BY_PERMISSION.has(operation);

/** Finds a record of another person in a response that the caller may not read. */
export const checkPersonalRecords: Check = async (exchange) => {
  const { operation, credentials } = exchange.plan;
  const { token } = exchange.request;
  if (token === null || credentials !== "own") return null;
  const records = recordsIn([bodyOf(exchange.response.body), exchange.response.files]);
  if (records.size === 0) return null;
  const claims = claimsOf(token) as Claims;
  const owned = await exchange.t.sql<Owned>(OWNERS, [[...records.keys()]]);
  const other = owned.find(
    ({ kind, owner }) => owner !== claims.sub && (isOwn(operation) || !mayRead(claims, kind)),
  );
  if (other === undefined) return null;
  const record = JSON.stringify(records.get(other.id)).slice(0, 400);
  return finding("leak", exchange, `shows the ${other.kind} of another person: ${record}`);
};

function mayRead({ isPlatformAdmin, permissions, unitGrants }: Claims, kind: string): boolean {
  // A token without `unitGrants` does not list the permissions in units.
  if (isPlatformAdmin || unitGrants === null) return true;
  const held = [...permissions, ...unitGrants.flatMap((grant) => grant.permissions)];
  return held.some((permission) => READ_PERMISSIONS[kind]?.test(permission));
}

/** Returns the body with NDJSON parsed into records. */
const bodyOf = (body: unknown): unknown =>
  typeof body === "string" && body.startsWith("{")
    ? body.split("\n").flatMap((line) => (line.startsWith("{") ? (JSON.parse(line) as unknown) : []))
    : body;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the objects with an id, at any depth, by their ids. */
function recordsIn(value: unknown, records = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== "object" || value === null) return records;
  const { id } = value as { id?: unknown };
  if (typeof id === "string" && UUID.test(id)) records.set(id, value);
  for (const item of Object.values(value)) recordsIn(item, records);
  return records;
}
