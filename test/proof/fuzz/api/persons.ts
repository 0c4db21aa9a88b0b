import { claimsOf } from "../../../support/caller.ts";
import type { Service } from "../../../support/service.ts";
import { type Claims, permissionOf } from "./access.ts";
import { byId } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import type { Answer, Sent } from "./send.ts";

/*
 * Records of one person in an organization are a leak to another person who may not read them. Routes about the caller's own
 * records show nobody else's, whatever the caller holds.
 */

/** The owner of each record that belongs to one person: by its kind, in a query by ids. */
const OWNERS = `
  SELECT 'todo' AS kind, id, user_id AS owner FROM todos WHERE id = ANY ($1)
  UNION ALL SELECT 'ticket', id, reporter_id FROM tickets WHERE id = ANY ($1)
  UNION ALL SELECT 'message', m.id, t.reporter_id FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id
    WHERE m.id = ANY ($1)
  UNION ALL SELECT 'event', id, actor_id FROM audit_events WHERE id = ANY ($1)
  UNION ALL SELECT 'notification', id, user_id FROM notifications WHERE id = ANY ($1)
  UNION ALL SELECT 'session', session_id, user_id FROM refresh_tokens WHERE session_id = ANY ($1)`;
type Owned = { kind: string; id: string; owner: string | null };

/** Permissions, one of which is needed to read others' records of a kind; nobody but the platform reads the other kinds. */
const READERS: Record<string, RegExp> = {
  todo: /^Todos\..*Any$/,
  ticket: /^Helpdesk\./,
  message: /^Helpdesk\./,
  event: /^Audit\.Read$/,
};
/** Own records, although a permission is needed. */
const OWN_BY_PERMISSION = new Set(["listTodos"]);
const isOwn = (operation: string) =>
  permissionOf(operation) === "signed-in" || OWN_BY_PERMISSION.has(operation);

/** A record of another person in a response, which its caller may not read. */
export async function anothersRecord(
  { operation, credentials }: Plan,
  { line, token }: Sent,
  { body, files }: Answer,
  t: Service,
): Promise<Finding | null> {
  if (token === null || credentials !== "own" || byId.get(operation) === undefined) return null;
  const records = recordsIn([bodyOf(body), files]);
  if (records.size === 0) return null;
  const claims = claimsOf(token) as Claims;
  const found = await t.sql<Owned>(OWNERS, [[...records.keys()]]);
  const other = found.find(
    ({ kind, owner }) => owner !== claims.sub && (isOwn(operation) || !mayRead(claims, kind)),
  );
  if (other === undefined) return null;
  return {
    kind: "leak",
    what: `${line}\n    shows the ${other.kind} of another person: ${JSON.stringify(records.get(other.id)).slice(0, 400)}`,
  };
}

function mayRead({ isPlatformAdmin, permissions, unitGrants }: Claims, kind: string): boolean {
  // A token without grants does not list what its holder has in units.
  if (isPlatformAdmin || unitGrants === null) return true;
  const held = [...permissions, ...unitGrants.flatMap((grant) => grant.permissions)];
  return held.some((permission) => READERS[kind]?.test(permission));
}

/** The lines of an export in NDJSON are records, too. */
const bodyOf = (body: unknown): unknown =>
  typeof body === "string" && body.startsWith("{")
    ? body.split("\n").flatMap((line) => (line.startsWith("{") ? (JSON.parse(line) as unknown) : []))
    : body;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The objects of a value that have an id, at any depth; what they refer to by other names is not theirs. */
function recordsIn(value: unknown, found = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== "object" || value === null) return found;
  const { id } = value as { id?: unknown };
  if (typeof id === "string" && UUID.test(id)) found.set(id, value);
  for (const one of Object.values(value)) recordsIn(one, found);
  return found;
}
