import type { z } from "zod";
import * as invitations from "#sql/invitations";
import { isWithin, type Reach } from "../../core/access/authority.ts";
import { assertHeld, authorize } from "../../core/access/authorize.ts";
import { organizationIsSuspended, unitForbidden } from "../../core/access/errors.ts";
import { findLiveOrganization } from "../../core/access/live-organization.ts";
import type { OrganizationCall, Tx } from "../../core/context.ts";
import { isMemberByEmail } from "../../core/people/memberships.ts";
import { languageOf } from "../../core/people/own-account.ts";
import { countSeats } from "../../core/people/pending-invitations.ts";
import { assertWithinLimit } from "../../core/plans/limits.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { conflict } from "../../platform/errors.ts";
import { resolveAssignments } from "../members/assignments.ts";
import { alreadyMember } from "./errors.ts";
import { assertSendsLeft, issueInvitation } from "./issue.ts";
import { showInvitation } from "./read.ts";
import type { InviteBody } from "./schemas.ts";

/**
 * Invites an email address into the organization (rules 14.2, 14.3). Earlier invitations of it are superseded, and
 * nothing depends on whether an account has the email: only a live member shows.
 * @throws validationFailed, organizationIsSuspended, unitForbidden, permissionNotHeld, tooManyRequests, alreadyMember,
 * conflict where the earlier invitation is out of the caller's reach, planLimitReached
 */
export async function invite(call: OrganizationCall, body: z.output<typeof InviteBody>) {
  const language = body.language ?? (await languageOf(call));
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const authority = await authorize(tx, "Invitations.Create");
    const assignments = await resolveAssignments(tx.db, organizationId, body.assignments);
    const organization = await findLiveOrganization(tx.db, organizationId);
    if (organization.status === "SUSPENDED") throw organizationIsSuspended();
    const reach = await authority.reach("Invitations.Create", tx.db);
    if (!assignments.every(({ unitId }) => isWithin(reach, unitId))) throw unitForbidden();
    await assertHeld(tx, authority, assignments);
    await assertSendsLeft(tx, { organizationId, email: body.email });
    if (await isMemberByEmail(tx.db, organizationId, body.email)) throw alreadyMember();

    const supersededId = await supersede(tx, reach, body.email);
    await assertWithinLimit(tx, { organizationId, limit: "members", count: countSeats, caller: tx.actor });
    const organizationName = organization.name;
    const invitation = {
      organizationId,
      organizationName,
      email: body.email,
      language,
      assignments,
      supersededId,
    };
    const id = await issueInvitation(tx, invitation);
    return showInvitation(tx, reach, id);
  });
}

/**
 * Revokes what is pending for the email, which frees its seat; answers the id of the latest. One that no longer works
 * goes wherever it reaches.
 */
async function supersede(tx: Tx<OrganizationCall>, { units }: Reach, email: string): Promise<string | null> {
  const place = { organizationId: tx.organizationId, email, units };
  const pending = await invitations.findPendingByEmail.run(place, tx.db);
  if (pending.some(({ isWorking, isInReach }) => isWorking && !isInReach)) throw conflict();
  if (pending.length > 0)
    await invitations.deleteInvitations.run({ ids: pending.map(({ id }) => id) }, tx.db);
  return pending[0]?.id ?? null;
}
