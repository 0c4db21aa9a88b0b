import type { z } from "zod";
import {
  type App,
  type AuthenticatedCall,
  audit,
  authorizePlatformAdmin,
  endOf,
  event,
  intersection,
  list,
  lockOrganization,
  notFound,
  type Queryable,
  type SignedInCall,
  type Tx,
  transaction,
} from "#kit";
import { deleteKeysOfOrganization, feedEntry, withEndedApps } from "#kit/inside";
import * as queries from "#sql/organizations";
import { endSessionsOfOrganization } from "../../core/accounts/end-sessions.ts";
import { endAllMemberships } from "../../core/accounts/memberships.ts";
import { deleteInvitationsOf } from "../../core/accounts/pending-invitations.ts";
import { effectivePlans } from "../../core/plans/effective-plan.ts";
import { subscriptionIsLive } from "../../core/plans/errors.ts";
import { findLiveSubscriptions } from "../../core/plans/live-subscriptions.ts";
import { presentPlan } from "../../core/plans/schemas.ts";
import { deleteRolesOf } from "../roles/write.ts";
import { deleteServiceAccountsOf } from "../service-accounts/accounts.ts";
import { deleteUnitsOf } from "../units/write.ts";
import { deleteEndpointsOf, setEndpointsPaused } from "../webhooks/endpoints.ts";
import { assertKnownPlan, overridePlan } from "./plan.ts";
import { findOrganization, presentOrganization } from "./read.ts";
import type { OrganizationQuery, PlatformOrganization } from "./schemas.ts";
import { applyChange, type OrganizationChange } from "./update.ts";

/**
 * Returns a page of all organizations, for platform administrators. `named` are the organizations in the header
 * `X-Organization-Id`.
 */
export async function listOrganizations(
  call: AuthenticatedCall,
  query: z.output<typeof OrganizationQuery>,
  named: string[] | null,
) {
  const organizations = intersection(query.organization, named);
  const page = await list(queries.organizations, call, { ...query, organizations });
  return { ...page, data: await presentRows(call.app, call.db.lists, page.data) };
}

/** Returns one organization. @throws notFound */
export const getPlatformOrganization = ({ app, db }: AuthenticatedCall, id: string) => findRow(app, db, id);

/** Changes name, slug, status or plan of an organization. @throws forbidden, notFound, slugTaken */
export const updatePlatformOrganization = (call: SignedInCall, id: string, change: OrganizationChange) =>
  changed(call, id, (tx) => applyChange(tx, id, change));

/**
 * Suspends an organization, which ends the sessions in which it is active, or activates it again. Does nothing if
 * it already has the status.
 * @throws forbidden, notFound
 */
export const setOrganizationStatus = (call: SignedInCall, id: string, status?: "ACTIVE" | "SUSPENDED") =>
  changed(call, id, async (tx) => {
    if (status === undefined) return;
    const before = await findOrganization(tx, id);
    const [changed] = await queries.setOrganizationStatus.run({ id, status }, tx.db);
    if (changed === undefined) return;
    if (status === "SUSPENDED") await endSessionsOfOrganization(tx, id);
    await setEndpointsPaused(tx, id, status === "SUSPENDED");
    await audit(tx, "ORGANIZATION_STATUS_CHANGED", {
      organizationId: id,
      target: { type: "organization", id },
      metadata: { from: before.status, to: status },
    });
    await event(tx, "organization.status_changed", {
      organizationId: id,
      id,
      object: { ...before, status },
      previous: { status: before.status },
      reach: "organization",
    });
  });

/**
 * Runs a platform administrator's change of an organization under the organization's lock. Returns the changed
 * organization.
 */
async function changed(call: SignedInCall, id: string, work: (tx: Tx<SignedInCall>) => Promise<unknown>) {
  return transaction(call, async (tx) => {
    await lockOrganization(tx, id);
    await authorizePlatformAdmin(tx);
    await findOrganization(tx, id);
    await work(tx);
    return showPlatformOrganization(tx, id);
  });
}

/**
 * Overrides the plan of an organization, independently of payments; null removes the override, undefined keeps it.
 * @throws forbidden, validationFailed, notFound
 */
export async function setPlanOverride(call: SignedInCall, id: string, planOverride?: string | null) {
  if (planOverride === undefined) return changed(call, id, async () => {});
  assertKnownPlan(call.app, planOverride);
  return changed(call, id, (tx) => overridePlan(tx, id, planOverride));
}

/**
 * Soft-deletes an organization, with its memberships, sessions, service accounts, roles and units. Its slug stays taken.
 * @throws forbidden, notFound; subscriptionIsLive
 */
export async function deleteOrganization(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    await lockOrganization(tx, id);
    await authorizePlatformAdmin(tx);
    const subscription = (await findLiveSubscriptions(tx, [id])).get(id);
    if (subscription !== undefined) {
      const { name } = await findOrganization(tx, id);
      throw subscriptionIsLive({ organization: name, plan: subscription.plan });
    }
    // The entry has the organization as it was last.
    const object = () => findOrganization(tx, id);
    await feedEntry(tx, "organization.deleted", { organizationId: id, id, object });
    const [deleted] = await queries.deleteOrganization.run({ id }, tx.db);
    if (deleted === undefined) throw notFound();
    await endAllMemberships(tx, id);
    await deleteInvitationsOf(tx, id);
    await endSessionsOfOrganization(tx, id);
    await deleteServiceAccountsOf(tx, id);
    await deleteEndpointsOf(tx, id);
    await deleteKeysOfOrganization(tx, id);
    await deleteRolesOf(tx, id);
    await deleteUnitsOf(tx, id);
    const endedApps = await endOf("organization", tx, id);
    const target = { type: "organization", id } as const;
    await audit(tx, "ORGANIZATION_DELETED", {
      target,
      metadata: { ...deleted, ...withEndedApps(endedApps) },
    });
  });
}

/** Returns an organization that has just been written, as platform administrators see it. */
export const showPlatformOrganization = (tx: Tx, id: string) => findRow(tx.app, tx.db, id);

async function findRow(app: App, db: Queryable, id: string) {
  const [row] = await presentRows(app, db, await queries.findOrganizationRow.run({ id }, db));
  if (row === undefined) throw notFound();
  return row;
}

type Row = Awaited<ReturnType<typeof queries.findOrganizationRow.run>>[number];

async function presentRows(
  app: App,
  db: Queryable,
  rows: Row[],
): Promise<z.output<typeof PlatformOrganization>[]> {
  const ids = rows.map(({ id }) => id);
  const plans = await effectivePlans(app, db, ids);
  return rows.map((row) => ({
    ...presentOrganization(row, app),
    plan: presentPlan(plans.get(row.id)),
    memberCount: row.memberCount,
  }));
}
