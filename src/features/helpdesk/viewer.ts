import { Authority } from "../../core/access/authority.ts";
import { assertStillPlatformAdmin } from "../../core/access/authorize.ts";
import type { Permission } from "../../core/access/catalog.ts";
import { grantsOf, loadGrants } from "../../core/access/grants.ts";
import type { OrganizationCall, SignedInCall, Tx } from "../../core/context.ts";
import { listUnitsIncludingDeleted } from "../units/including-deleted.ts";

/**
 * Who reads or answers tickets: a reporter (their own), the staff of an organization (within the reach of a
 * permission), or a platform administrator. The keys are the parameters of sql/helpdesk.
 */
export type Viewer = {
  /** The role in which they write; null for the reporter. */
  staffScope: "PLATFORM" | "ORGANIZATION" | null;
  /** Which tickets they may see. `units` are those of reporters; null is no restriction. */
  scope: { reporterId: string | null; organizationId: string | null; units: string[] | null };
  /** Which internal notes they may see. */
  sees: {
    viewerId: string;
    seesPlatformNotes: boolean;
    seesOrganizationNotes: boolean;
    noteUnits: string[] | null;
  };
};

/** The caller's own tickets, in all organizations. */
export const asReporter = ({ actor: { userId } }: SignedInCall): Viewer => ({
  staffScope: null,
  scope: { reporterId: userId, organizationId: null, units: null },
  sees: { viewerId: userId, seesPlatformNotes: false, seesOrganizationNotes: false, noteUnits: null },
});

/** Every ticket, or those of one organization. */
export const asPlatformStaff = (
  { actor: { userId } }: SignedInCall,
  organizationId: string | null = null,
): Viewer => ({
  staffScope: "PLATFORM",
  scope: { reporterId: null, organizationId, units: null },
  sees: { viewerId: userId, seesPlatformNotes: true, seesOrganizationNotes: true, noteUnits: null },
});

/** Tickets of the active organization within the reach of the permission. @throws forbidden */
export async function asOrganizationStaff(call: OrganizationCall, permission: Permission): Promise<Viewer> {
  const { actor, organizationId, authority } = call;
  if (actor.isPlatformAdmin) return asPlatformStaff(call, organizationId);
  const { lists } = call.app.db;
  const { units } = await authority.reach(permission, lists);
  const roots = authority.roots(permission);
  return {
    staffScope: "ORGANIZATION",
    scope: { reporterId: null, organizationId, units },
    sees: {
      viewerId: actor.userId,
      seesPlatformNotes: false,
      seesOrganizationNotes: true,
      noteUnits: roots === null ? null : await listUnitsIncludingDeleted(lists, roots),
    },
  };
}

/** The same for routes of any signed-in caller: null without an active organization or the permission. */
export async function asStaffOfActive(call: SignedInCall, permission: Permission): Promise<Viewer | null> {
  const { app, actor } = call;
  const organizationId = actor.claims.organization?.id;
  if (organizationId === undefined) return null;
  const known = grantsOf(actor.claims);
  const holdings = known ?? (await loadGrants(app.db, { userId: actor.userId, organizationId }));
  const authority = new Authority([holdings]);
  if (!authority.holdsAnywhere(permission)) return null;
  return asOrganizationStaff({ ...call, organizationId, authority }, permission);
}

/** For platform staff the flag is read again from the database; the access token does not suffice. @throws forbidden */
export async function assertStillStaff(tx: Tx<SignedInCall>, { staffScope }: Viewer): Promise<void> {
  if (staffScope === "PLATFORM") await assertStillPlatformAdmin(tx);
}
