import type { Caller } from "./caller.ts";
import { OWN, PLATFORM, QUEUE, report, type Ticket } from "./helpdesk.ts";
import { assignments, foundOrganization, type Given } from "./organizations.ts";
import { actingIn, idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";

/** Somebody who looks at tickets through one of the three families of routes. */
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
 * An organization with a unit above another and one beside it, an administrator of each, a plain member, a platform
 * administrator, and an administrator of another organization. Reporters of the unit are made by `reported`, as one may
 * only report five times.
 */
export async function desk(t: Service) {
  const org = await foundOrganization(t, "Acme");
  const parent = await org.unit("Parent");
  const unit = await org.unit("Unit", parent);
  const beside = await org.unit("Beside", parent);
  const platform = await t.platformAdmin();
  const stranger = await foundOrganization(t, "Elsewhere");
  const unitAdmin = (at: string) => org.member({ role: "UNIT_ADMIN", unit: at });
  const views: Record<ViewName, View> = {
    organization: { who: org.admin, place: QUEUE },
    parentAdmin: { who: await unitAdmin(parent), place: QUEUE },
    unitAdmin: { who: await unitAdmin(unit), place: QUEUE },
    besideAdmin: { who: await unitAdmin(beside), place: QUEUE },
    member: { who: await org.member(), place: OWN },
    stranger: { who: stranger.admin, place: QUEUE },
    platform: { who: platform, place: PLATFORM },
    platformThere: { who: platform, place: QUEUE, ...actingIn(org) },
  };
  return { org, parent, unit, beside, platform, stranger, views };
}
export type Desk = Awaited<ReturnType<typeof desk>>;

/** A report of somebody new in the unit. */
export async function reported({ org, unit }: Pick<Desk, "org" | "unit">, images: Uint8Array[] = []) {
  const reporter = await org.member({ role: "MEMBER", unit });
  const ticket: Ticket = await report(reporter, {}, images);
  return { reporter, ticket, id: ticket.id, image: ticket.messages[0]?.attachments[0]?.id ?? "" };
}

/** Gives a member other roles, which count at once. */
export async function become({ org }: Pick<Desk, "org">, who: Caller, ...roles: Given[]): Promise<void> {
  expectStatus(await org.admin.patch(`/api/members/${idOf(who)}/roles`, assignments(...roles)), 200);
  expectStatus(await who.refresh(), 200);
}
