import type { AccessTokenClaims } from "../../../src/core/access/claims.ts";
import { unpackIds } from "../../../src/core/access/packed-ids.ts";
import { claimsOf } from "../../support/caller.ts";
import type { Service } from "../../support/service.ts";
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
/** What is above every unit. */
const ABOVE = new Set<unknown>(["role", "organization", "subscription"]);

/** Somebody in an answer who is out of the caller's reach. */
export async function outOfReach(
  { operation }: Plan,
  { line, token }: Sent,
  answer: Answer,
  t: Service,
): Promise<Finding | null> {
  const personOf = PEOPLE[operation];
  const permission = permissionOf(operation) as Claims["permissions"][number];
  if (personOf === undefined || token === null || answer.status !== 200) return null;
  const claims = claimsOf(token) as Claims;
  const grants = claims.unitGrants?.filter(({ permissions }) => permissions.includes(permission)) ?? [];
  if (claims.isPlatformAdmin || claims.permissions.includes(permission) || grants.length === 0) return null;
  const isOfEvents = personOf === actorOf;
  const known = await peopleOf(t, grants, isOfEvents);
  for (const row of rowsOf(answer)) {
    const person = personOf(row);
    if (isOfEvents && person === claims.sub) continue;
    const problem = !known.has(person)
      ? `is about ${person}, who is`
      : isOfEvents && ABOVE.has(row.targetType)
        ? `is about the ${row.targetType}, which is`
        : null;
    if (problem !== null)
      return {
        kind: "reach",
        what: `${line}\n    shows ${JSON.stringify(row).slice(0, 400)}\n    and ${problem} out of reach`,
      };
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

/** Who is linked to units of the grants, as the token lists them and as they are now; or ever was. */
async function peopleOf(
  t: Service,
  grants: NonNullable<Claims["unitGrants"]>,
  isEver: boolean,
): Promise<Set<unknown>> {
  const roots = grants.flatMap(({ roots, units }) => [...unpackIds(roots), ...unpackIds(units ?? "")]);
  const found = await t.sql<{ user_id: string }>(
    `WITH RECURSIVE below AS (
       SELECT id FROM units WHERE id = ANY ($1)
       UNION SELECT u.id FROM units u JOIN below b ON u.parent_id = b.id)
     SELECT DISTINCT user_id FROM membership_units WHERE unit_id IN (SELECT id FROM below) AND ($2 OR NOT is_deleted)`,
    [roots, isEver],
  );
  return new Set(found.map(({ user_id }) => user_id));
}
