import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";
import { unpackIds } from "../../../../src/core/access/packed-ids.ts";
import { claimsOf } from "../../../support/caller.ts";
import type { Service } from "../../../support/service.ts";
import { permissionOf } from "./access.ts";
import type { Finding } from "./oracles.ts";
import { pageOf, type Row } from "./pages.ts";
import type { Plan } from "./requests.ts";
import type { Answer, Sent } from "./send.ts";

/*
 * Whoever holds a permission in units reads about the people who are linked to these or to units below, and, of events,
 * about those who ever were (rules 13.2, 16.13, 20.6, 22.2).
 */

type Claims = typeof AccessTokenClaims._output;

const reporterOf = ({ reporter }: Row) => (reporter as { id: string } | null)?.id;
const actorOf = ({ actorId }: Row) => actorId;
const PEOPLE: Record<string, (row: Row) => unknown> = {
  ...{ listMembers: ({ userId }) => userId, getMember: ({ userId }) => userId },
  ...{ listAllTodos: ({ userId }) => userId },
  ...{ listOrganizationTickets: reporterOf, getOrganizationTicket: reporterOf },
  ...{ listOrganizationAuditEvents: actorOf, exportOrganizationAuditEvents: actorOf },
};
/** Writes that name a unit or a person in their path; of a unit that goes, what is above it is changed. */
const WRITES = new Set([
  "updateUnit",
  "deleteUnit",
  "changeMemberRoles",
  "changeMemberUnits",
  "removeMember",
]);
/** What is above every unit. */
const ABOVE = new Set<unknown>(["role", "organization", "subscription"]);

/** Something in an answer that is out of the caller's reach, or that a write in units has changed all the same. */
export async function outOfReach(
  { operation }: Plan,
  { line, token, params }: Sent,
  answer: Answer,
  t: Service,
): Promise<Finding | null> {
  if (token === null || !isWatched(operation)) return null;
  const claims = claimsOf(token) as Claims;
  const permission = permissionOf(operation) as Claims["permissions"][number];
  const grants = claims.unitGrants?.filter(({ permissions }) => permissions.includes(permission)) ?? [];
  if (claims.isPlatformAdmin || claims.permissions.includes(permission) || grants.length === 0) return null;
  const within = await reachOf(t, grants);
  const finding = (what: string): Finding => ({
    kind: "reach",
    what: `${line}\n    ${what}, which is out of reach`,
  });
  if (WRITES.has(operation)) {
    const named = await namedBy(t, params, operation);
    const beyond = named.find((id) => id === null || !(within.units.has(id) || within.everLinked.has(id)));
    return beyond === undefined ? null : finding(`changes ${beyond ?? "what is below no unit"}`);
  }
  for (const row of answer.status === 200 ? rowsOf(answer) : []) {
    const beyond =
      problemOf(operation, row, claims.sub, within) ?? (await mentionedBeyond(row.metadata, within, t));
    if (beyond !== null)
      return finding(`shows ${JSON.stringify(row).slice(0, 400)}\n    and tells of ${beyond}`);
  }
  return null;
}

const isWatched = (operation: string) =>
  operation in PEOPLE || operation === "listInvitations" || WRITES.has(operation);

function problemOf(
  operation: string,
  row: Row,
  caller: string,
  { units, linked, everLinked }: Reach,
): string | null {
  if (operation === "listInvitations") {
    const assignments = row.assignments as { unit: { id: string } | null }[];
    const beyond = assignments.find(({ unit }) => unit === null || !units.has(unit.id));
    return beyond === undefined ? null : (beyond.unit?.id ?? "the whole organization");
  }
  const personOf = PEOPLE[operation];
  const person = personOf?.(row);
  if (personOf !== actorOf) return linked.has(person) ? null : String(person);
  if (person === caller) return null;
  if (!everLinked.has(person)) return String(person);
  if (ABOVE.has(row.targetType)) return `the ${row.targetType}`;
  return row.targetType === "user" && row.targetId !== null && !everLinked.has(row.targetId)
    ? String(row.targetId)
    : null;
}

/** What the metadata of an event names outside the caller's units: an entry without such a unit, or an invitation (rules 16.15). */
async function mentionedBeyond(metadata: unknown, { units }: Reach, t: Service): Promise<string | null> {
  if (typeof metadata !== "object" || metadata === null) return null;
  const entries = Object.values(metadata).flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const beyond = entries.find(
    (entry) =>
      typeof entry === "object" && entry !== null && "unitId" in entry && !units.has(entry.unitId as string),
  );
  if (beyond !== undefined) return `the entry ${JSON.stringify(beyond)}`;
  const { roles, assignments, supersededId, invitationId } = metadata as Record<string, unknown>;
  const left = (assignments as { roleName: string }[] | undefined)?.map(({ roleName }) => roleName);
  const role = left && (roles as string[]).find((name) => !left.includes(name));
  if (role !== undefined) return `the role ${role}, of which no entry is left`;
  for (const id of [supersededId, invitationId]) {
    if (typeof id !== "string") continue;
    const given = await t.sql<{ unit_id: string | null }>(
      "SELECT unit_id FROM user_invitation_assignments WHERE invitation_id = $1",
      [id],
    );
    if (given.some(({ unit_id }) => !units.has(unit_id))) return `the invitation ${id}`;
  }
  return null;
}

/** The rows of a page, the record alone, or the lines of an export. */
function rowsOf(answer: Answer): Row[] {
  const page = pageOf(answer);
  if (page !== null) return page.data;
  if (typeof answer.body !== "string") return [answer.body as Row];
  const lines = answer.body.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Row);
}

type Reach = { units: Set<unknown>; linked: Set<unknown>; everLinked: Set<unknown> };

/** The units of the grants, as the token lists them and as they are now, with who is linked to them, or ever was. */
async function reachOf(t: Service, grants: NonNullable<Claims["unitGrants"]>): Promise<Reach> {
  const roots = grants.flatMap(({ roots, units }) => [...unpackIds(roots), ...unpackIds(units ?? "")]);
  const found = await t.sql<{ unit_id: string; user_id: string | null; is_deleted: boolean }>(
    `WITH RECURSIVE below AS (
       SELECT id FROM units WHERE id = ANY ($1)
       UNION SELECT u.id FROM units u JOIN below b ON u.parent_id = b.id)
     SELECT b.id AS unit_id, mu.user_id, mu.is_deleted FROM below b LEFT JOIN membership_units mu ON mu.unit_id = b.id`,
    [roots],
  );
  return {
    units: new Set(found.map(({ unit_id }) => unit_id)),
    linked: new Set(found.flatMap(({ user_id, is_deleted }) => (is_deleted ? [] : [user_id]))),
    everLinked: new Set(found.map(({ user_id }) => user_id)),
  };
}

/** What the path names; with a unit that is deleted, also the one above it, or null. */
async function namedBy(
  t: Service,
  params: Record<string, string>,
  operation: string,
): Promise<(string | null)[]> {
  const named = Object.values(params).map((id) => id.toLowerCase());
  if (operation !== "deleteUnit") return named;
  const above = await t.sql<{ parent_id: string | null }>("SELECT parent_id FROM units WHERE id = ANY ($1)", [
    named,
  ]);
  return [...named, ...above.map(({ parent_id }) => parent_id)];
}
