import type { AccessTokenClaims } from "../../../../src/core/access/claims.ts";
import { unpackIds } from "../../../../src/core/access/packed-ids.ts";
import type { Service } from "../../../support/service.ts";
import { permissionOf } from "./access.ts";
import { claimsOf } from "./claims.ts";
import { operationSet } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { pageOf, type Row } from "./pages.ts";
import type { RequestPlan } from "./requests.ts";
import type { ApiResponse, BuiltRequest } from "./send.ts";

/*
 * Checks the reach of permissions in units. A permission covers people who are linked to these units or to units
 * below them. For events it also covers people who were linked to them earlier (rules 13.2, 16.13, 20.6, 22.2).
 */

type Claims = typeof AccessTokenClaims._output;

const reporterOf = ({ reporter }: Row) => (reporter as { id: string } | null)?.id;
const actorOf = ({ actorId }: Row) => actorId;
/** Returns the id of the person that a row is about, by operation. */
const PERSON_OF_ROW: Record<string, (row: Row) => unknown> = {
  ...{ listMembers: ({ userId }) => userId, getMember: ({ userId }) => userId },
  ...{ listAllTodos: ({ userId }) => userId },
  ...{ listOrganizationTickets: reporterOf, getOrganizationTicket: reporterOf },
  ...{ listOrganizationAuditEvents: actorOf, exportOrganizationAuditEvents: actorOf },
};
/** Writes with the id of a unit or a person in their path. Deleting a unit also changes its parent. */
const WRITES = operationSet(
  "updateUnit",
  "deleteUnit",
  "changeMemberRoles",
  "changeMemberUnits",
  "removeMember",
);
/** Types of targets that belong to the whole organization. */
const ABOVE_UNITS = new Set<unknown>(["role", "organization", "subscription"]);

/** Finds a row in a response, or a target of a write, that is outside the caller's reach. */
export async function checkReach(
  { operation }: RequestPlan,
  { line, token, params }: BuiltRequest,
  response: ApiResponse,
  t: Service,
): Promise<Finding | null> {
  if (token === null || !isChecked(operation)) return null;
  const claims = claimsOf(token) as Claims;
  const permission = permissionOf(operation) as Claims["permissions"][number];
  const grants = claims.unitGrants?.filter(({ permissions }) => permissions.includes(permission)) ?? [];
  if (claims.isPlatformAdmin || claims.permissions.includes(permission) || grants.length === 0) return null;
  const reach = await reachOf(t, grants);
  const finding = (what: string): Finding => ({
    kind: "reach",
    what: `${line}\n    ${what}, which is out of reach`,
  });
  if (WRITES.has(operation)) {
    const targets = await targetsOf(t, params, operation);
    const target = targets.find((id) => id === null || !(reach.units.has(id) || reach.everLinked.has(id)));
    return target === undefined ? null : finding(`changes ${target ?? "a root unit"}`);
  }
  for (const row of response.status === 200 ? rowsOf(response) : []) {
    const target =
      findInRow(operation, row, claims.sub, reach) ?? (await findInMetadata(row.metadata, reach, t));
    if (target !== null) return finding(`shows ${JSON.stringify(row).slice(0, 400)}\n    with ${target}`);
  }
  return null;
}

const isChecked = (operation: string) =>
  operation in PERSON_OF_ROW || operation === "listInvitations" || WRITES.has(operation);

/** Returns the part of a row that is outside the caller's reach, or null. */
function findInRow(
  operation: string,
  row: Row,
  caller: string,
  { units, linked, everLinked }: Reach,
): string | null {
  if (operation === "listInvitations") {
    const assignments = row.assignments as { unit: { id: string } | null }[];
    const outside = assignments.find(({ unit }) => unit === null || !units.has(unit.id));
    return outside === undefined ? null : (outside.unit?.id ?? "the whole organization");
  }
  const personOf = PERSON_OF_ROW[operation];
  const person = personOf?.(row);
  if (personOf !== actorOf) return linked.has(person) ? null : String(person);
  if (person === caller) return null;
  if (!everLinked.has(person)) return String(person);
  if (ABOVE_UNITS.has(row.targetType)) return `the ${row.targetType}`;
  return row.targetType === "user" && row.targetId !== null && !everLinked.has(row.targetId)
    ? String(row.targetId)
    : null;
}

/** Returns an entry, a role or an invitation in the metadata of an event that is outside the caller's units (rules 16.15), or null. */
async function findInMetadata(metadata: unknown, { units }: Reach, t: Service): Promise<string | null> {
  if (typeof metadata !== "object" || metadata === null) return null;
  const entries = Object.values(metadata).flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const outside = entries.find(
    (entry) =>
      typeof entry === "object" && entry !== null && "unitId" in entry && !units.has(entry.unitId as string),
  );
  if (outside !== undefined) return `the entry ${JSON.stringify(outside)}`;
  const { roles, assignments, supersededId, invitationId } = metadata as Record<string, unknown>;
  const assigned = (assignments as { roleName: string }[] | undefined)?.map(({ roleName }) => roleName);
  const role = assigned && (roles as string[]).find((name) => !assigned.includes(name));
  if (role !== undefined) return `the role ${role}, which no entry has`;
  for (const id of [supersededId, invitationId]) {
    if (typeof id !== "string") continue;
    const granted = await t.sql<{ unit_id: string | null }>(
      "SELECT unit_id FROM user_invitation_assignments WHERE invitation_id = $1",
      [id],
    );
    if (granted.some(({ unit_id }) => !units.has(unit_id))) return `the invitation ${id}`;
  }
  return null;
}

/** Returns the rows of a page, a single record, or the lines of an export. */
function rowsOf(response: ApiResponse): Row[] {
  const page = pageOf(response);
  if (page !== null) return page.data;
  if (typeof response.body !== "string") return [response.body as Row];
  const lines = response.body.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Row);
}

type Reach = { units: Set<unknown>; linked: Set<unknown>; everLinked: Set<unknown> };

/** Reads the units of the grants, both those in the token and those that exist now, with the people who are or were linked to them. */
async function reachOf(t: Service, grants: NonNullable<Claims["unitGrants"]>): Promise<Reach> {
  const roots = grants.flatMap(({ roots, units }) => [...unpackIds(roots), ...unpackIds(units ?? "")]);
  const links = await t.sql<{ unit_id: string; user_id: string | null; is_deleted: boolean }>(
    `WITH RECURSIVE below AS (
       SELECT id FROM units WHERE id = ANY ($1)
       UNION SELECT u.id FROM units u JOIN below b ON u.parent_id = b.id)
     SELECT b.id AS unit_id, mu.user_id, mu.is_deleted FROM below b LEFT JOIN membership_units mu ON mu.unit_id = b.id`,
    [roots],
  );
  return {
    units: new Set(links.map(({ unit_id }) => unit_id)),
    linked: new Set(links.flatMap(({ user_id, is_deleted }) => (is_deleted ? [] : [user_id]))),
    everLinked: new Set(links.map(({ user_id }) => user_id)),
  };
}

/** Returns the ids in the path. For the deletion of a unit, also returns its parent, or null for a root unit. */
async function targetsOf(
  t: Service,
  params: Record<string, string>,
  operation: string,
): Promise<(string | null)[]> {
  const ids = Object.values(params).map((id) => id.toLowerCase());
  if (operation !== "deleteUnit") return ids;
  const parents = await t.sql<{ parent_id: string | null }>(
    "SELECT parent_id FROM units WHERE id = ANY ($1)",
    [ids],
  );
  return [...ids, ...parents.map(({ parent_id }) => parent_id)];
}
