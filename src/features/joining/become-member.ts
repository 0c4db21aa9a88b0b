import { audit, event, type Tx } from "#kit";
import * as queries from "#sql/joining";
import { addMember, roleEntry } from "../../core/accounts/memberships.ts";
import type { NamedAssignment } from "../members/assignments.ts";
import { memberForEvent } from "../members/read.ts";
import { findDefaultAssignment } from "../roles/read.ts";

type Joining = { organizationId: string; userId: string; domain: string; via: "domain" | "request" };

/** Returns the roles that people of a domain get: its own, otherwise the default role of the organization. */
export async function listJoinRoles(
  tx: Tx,
  { organizationId, domainId }: { organizationId: string; domainId: string },
): Promise<NamedAssignment[]> {
  const own = await queries.listDomainAssignments.run({ domainId }, tx.db);
  return own.length > 0 ? own : findDefaultAssignment(tx.db, organizationId);
}

/** Adds a member who joined by a domain. Call under the locks of the organization and of the user. */
export async function becomeMember(tx: Tx, joining: Joining, assignments: NamedAssignment[]): Promise<void> {
  const { organizationId, userId, domain, via } = joining;
  await addMember(tx, { organizationId, userId }, assignments);
  await audit(tx, "USER_JOINED", {
    ...(via === "domain" && { actorId: userId }),
    organizationId,
    target: { type: "user", id: userId },
    metadata: {
      ...{ via, domain, roles: [...new Set(assignments.map(({ roleName }) => roleName))] },
      assignments: assignments.map(roleEntry),
    },
  });
  await event(tx, "member.created", {
    organizationId,
    ...(via === "domain" && { actorId: userId }),
    id: userId,
    object: () => memberForEvent({ organizationId, db: tx.db }, userId),
    reach: { userId },
  });
}
