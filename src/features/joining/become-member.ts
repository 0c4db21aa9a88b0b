import { audit, type Tx } from "#kit";
import * as queries from "#sql/joining";
import { addMember, grantedRoles } from "../../core/accounts/memberships.ts";
import type { NamedAssignment } from "../members/assignments.ts";
import { memberCreated } from "../members/events.ts";
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
  const actor = via === "domain" ? { actorId: userId } : {};
  await addMember(tx, { organizationId, userId }, assignments);
  await audit(tx, "USER_JOINED", {
    ...actor,
    organizationId,
    target: { type: "user", id: userId },
    metadata: { via, domain, ...grantedRoles(assignments) },
  });
  await memberCreated(tx, { organizationId, userId, ...actor });
}
