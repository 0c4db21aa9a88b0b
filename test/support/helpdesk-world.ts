import type { Caller } from "./caller.ts";
import { ORGANIZATION_TICKETS, OWN_TICKETS, PLATFORM_TICKETS, report, type Ticket } from "./helpdesk.ts";
import { assignments, createOrganization, type RoleAssignment } from "./organizations.ts";
import { actingIn, idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";

/** A user who reads tickets, and the path prefix of the routes they use: own, organization or platform. */
export type View = { who: Caller; place: string; headers?: Record<string, string> };
type ViewName =
  | "organization"
  | "parentAdmin"
  | "unitAdmin"
  | "besideAdmin"
  | "member"
  | "stranger"
  | "platform"
  | "platformThere";

/**
 * Creates an organization with a unit, its parent and a sibling, an administrator of each, a plain member, a platform
 * administrator and an administrator of another organization. `reported` creates a new reporter in the unit for each
 * ticket, because a user may create only five per hour.
 */
export async function helpdeskWorld(t: Service) {
  const org = await createOrganization(t, "Acme");
  const parent = await org.unit("Parent");
  const unit = await org.unit("Unit", parent);
  const beside = await org.unit("Beside", parent);
  const platform = await t.platformAdmin();
  const stranger = await createOrganization(t, "Elsewhere");
  const unitAdmin = (at: string) => org.member({ role: "UNIT_ADMIN", unit: at });
  const views: Record<ViewName, View> = {
    organization: { who: org.admin, place: ORGANIZATION_TICKETS },
    parentAdmin: { who: await unitAdmin(parent), place: ORGANIZATION_TICKETS },
    unitAdmin: { who: await unitAdmin(unit), place: ORGANIZATION_TICKETS },
    besideAdmin: { who: await unitAdmin(beside), place: ORGANIZATION_TICKETS },
    member: { who: await org.member(), place: OWN_TICKETS },
    stranger: { who: stranger.admin, place: ORGANIZATION_TICKETS },
    platform: { who: platform, place: PLATFORM_TICKETS },
    platformThere: { who: platform, place: ORGANIZATION_TICKETS, ...actingIn(org) },
  };
  return { org, parent, unit, beside, platform, stranger, views };
}
export type HelpdeskWorld = Awaited<ReturnType<typeof helpdeskWorld>>;

/** Creates a reporter in the unit and their ticket. */
export async function reported(
  { org, unit }: Pick<HelpdeskWorld, "org" | "unit">,
  images: Uint8Array[] = [],
) {
  const reporter = await org.member({ role: "MEMBER", unit });
  const ticket: Ticket = await report(reporter, {}, images);
  return { reporter, ticket, id: ticket.id, image: ticket.messages[0]?.attachments[0]?.id ?? "" };
}

/** Changes the roles of a member and refreshes their access token. */
export async function setRoles(
  { org }: Pick<HelpdeskWorld, "org">,
  who: Caller,
  ...roles: RoleAssignment[]
): Promise<void> {
  expectStatus(await org.admin.patch(`/api/members/${idOf(who)}/roles`, assignments(...roles)), 200);
  expectStatus(await who.refresh(), 200);
}
