import {
  type AuthenticatedCall,
  assertStillPlatformAdmin,
  isUnrestricted,
  type OrganizationCall,
  type Permission,
  type ReachUnits,
  type SignedInCall,
  type Tx,
  unrestricted,
} from "#kit";
import * as ticketUnits from "#sql/helpdesk/units";
import { TokenPermissions } from "../../core/access/effective-permissions.ts";
import { grantsOf, loadGrants } from "../../core/access/grants.ts";
import { confinedTo } from "../../core/access/proofs.ts";
import { reachIncludingDeleted } from "../units/including-deleted.ts";

/**
 * The tickets that a caller may see: a reporter sees their own tickets, staff of an organization those in reach of
 * a permission, and a platform administrator all tickets. The keys are the parameters of sql/helpdesk.
 */
export type Viewer = {
  /** The role in which the viewer writes; null for the reporter. */
  staffScope: "PLATFORM" | "ORGANIZATION" | null;
  /** The restrictions of the visible tickets. `units` are the units of the reporters; null means no restriction. */
  scope: { reporterId: string | null; organizationId: string | null; units: ReachUnits };
  /** The restrictions of the visible internal notes. */
  sees: {
    viewerId: string;
    seesPlatformNotes: boolean;
    seesOrganizationNotes: boolean;
    noteUnits: ReachUnits;
  };
};

const OWN = unrestricted("a reporter sees all their own tickets, and no internal notes");
const ALL = unrestricted("platform administrators see every ticket and note");

/** Describes what a reporter may see: the caller's own tickets, in all organizations or in the one that the session is confined to. */
export const asReporter = ({ actor }: Pick<SignedInCall, "actor">): Viewer => ({
  staffScope: null,
  scope: { reporterId: actor.userId, organizationId: confinedTo(actor), units: OWN },
  sees: { viewerId: actor.userId, seesPlatformNotes: false, seesOrganizationNotes: false, noteUnits: OWN },
});

/** Returns a viewer of every ticket, or of all tickets of one organization. */
export const asPlatformStaff = (
  { actor: { id } }: AuthenticatedCall,
  organizationId: string | null = null,
): Viewer => ({
  staffScope: "PLATFORM",
  scope: { reporterId: null, organizationId, units: ALL },
  sees: { viewerId: id, seesPlatformNotes: true, seesOrganizationNotes: true, noteUnits: ALL },
});

/** Identifies one ticket, by its id or by the id of one of its images. */
type TicketKey = { ticketId: string } | { attachmentId: string };

type StaffCall = Omit<OrganizationCall, "organizations" | "filters">;

/**
 * Returns a viewer of the active organization's tickets, within the caller's reach for the permission. For one
 * ticket, only the units of its people are read, never a whole tree of units.
 * @throws forbidden
 */
export async function asOrganizationStaff(
  call: StaffCall,
  permission: Permission,
  ticket: TicketKey | null,
): Promise<Viewer> {
  const { actor, organizationId } = call;
  if (actor.isPlatformAdmin) return asPlatformStaff(call, organizationId);
  const { units, noteUnits } =
    ticket === null ? await unitsOfAll(call, permission) : await unitsOfOne(call, permission, ticket);
  return {
    staffScope: "ORGANIZATION",
    scope: { reporterId: null, organizationId, units },
    sees: { viewerId: actor.id, seesPlatformNotes: false, seesOrganizationNotes: true, noteUnits },
  };
}

async function unitsOfAll({ db, permissions }: StaffCall, permission: Permission) {
  const { lists } = db;
  const { units } = await permissions.reach(permission, lists);
  return { units, noteUnits: await reachIncludingDeleted(permissions, permission, lists) };
}

async function unitsOfOne({ db, permissions }: StaffCall, permission: Permission, ticket: TicketKey) {
  const key = { ticketId: null, attachmentId: null, ...ticket };
  const ids = (rows: { unitId: string }[]) => rows.map(({ unitId }) => unitId);
  const ofReporter = async () => ids(await ticketUnits.listUnitsOfReporter.run(key, db));
  const { units } = await permissions.reachAmong(permission, ofReporter, db);
  if (isUnrestricted(units)) return { units, noteUnits: units };
  const ofAuthors = ids(await ticketUnits.listUnitsOfNoteAuthors.run(key, db));
  return { units, noteUnits: await permissions.heldAmong(permission, ofAuthors, db) };
}

/**
 * Like `asOrganizationStaff`, for routes of every authenticated caller: returns null without an active organization
 * or without the permission.
 */
export async function asStaffOfActive(
  call: AuthenticatedCall,
  permission: Permission,
  ticket: TicketKey,
): Promise<Viewer | null> {
  const { actor } = call;
  const organizationId = actor.claims.organization?.id;
  if (organizationId === undefined) return null;
  const known = grantsOf(actor.claims);
  const grants = known ?? (await loadGrants(call.db, actor, organizationId));
  const permissions = new TokenPermissions([grants]);
  if (!permissions.holdsAnywhere(permission)) return null;
  return asOrganizationStaff({ ...call, organizationId, permissions }, permission, ticket);
}

/**
 * Checks that a viewer who acts as a platform administrator still is one. Reads the database, because the access
 * token may be outdated. @throws forbidden
 */
export async function assertStillStaff(tx: Tx<AuthenticatedCall>, { staffScope }: Viewer): Promise<void> {
  if (staffScope === "PLATFORM") await assertStillPlatformAdmin(tx);
}
