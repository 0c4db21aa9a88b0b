import { eventsOfRequest, traced, writeEvent } from "./audit.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import { invite } from "./invitations.ts";
import { assignments, createOrganization, type RoleAssignment } from "./organizations.ts";
import { idOf } from "./outcomes.ts";
import type { Service } from "./service.ts";

/** Sends a change through its route. */
export type Send = (options: { headers: Record<string, string> }) => Promise<ApiResponse>;

/**
 * Creates an organization with a unit above the viewer's unit, one below and one beside it, and a member with all
 * permissions below.
 */
export async function auditWorld(t: Service) {
  const org = await createOrganization(t);
  const above = await org.unit("Above");
  const own = await org.unit("Own", above);
  const below = await org.unit("Below", own);
  const side = await org.unit("Side", above);
  const viewer = await org.member({ role: "UNIT_ADMIN", unit: own });
  // Has every permission organization-wide, and is in a unit below the viewer's.
  const insider = await org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: below });
  /** Whether the viewer may read the single event of a request, which the administrator must be able to read. */
  const sees = async (requestId: string) => {
    const [all, some] = [
      await eventsOfRequest(org.admin, requestId),
      await eventsOfRequest(viewer, requestId),
    ];
    if (all.length !== 1) throw new Error(`${all.length} events of one change`);
    return some.length === 1;
  };
  /** Sends a change; returns whether the viewer may read its event. */
  const shows = async (send: Send) => sees(await traced(send));
  const telling = async (event: Parameters<typeof writeEvent>[2]) => sees(await writeEvent(t, org, event));
  return { org, above, own, below, side, viewer, insider, sees, shows, telling };
}

export const newUnit =
  (caller: Caller, parentId: string | null): Send =>
  (options) =>
    caller.post("/api/units", { name: `Unit ${crypto.randomUUID()}`, parentId }, options);
export const rename =
  (caller: Caller, id: string): Send =>
  (options) =>
    caller.patch(`/api/units/${id}`, { name: crypto.randomUUID() }, options);
export const giveRoles =
  (caller: Caller, person: Caller, ...roles: RoleAssignment[]): Send =>
  (options) =>
    caller.patch(`/api/members/${idOf(person)}/roles`, assignments(...roles), options);
export const setUnits =
  (caller: Caller, person: Caller, ...unitIds: string[]): Send =>
  (options) =>
    caller.patch(`/api/members/${idOf(person)}/units`, { unitIds }, options);
export const remove =
  (caller: Caller, person: Caller): Send =>
  (options) =>
    caller.delete(`/api/members/${idOf(person)}`, options);
export const sendInvitation =
  (caller: Caller, ...roles: RoleAssignment[]): Send =>
  ({ headers }) =>
    invite(caller, { roles, headers });
