import type { z } from "zod";
import { permissions, type SignedInCall } from "#kit";
import { assertMayAct } from "#kit/inside";
import * as queries from "#sql/oauth-authorize";
import { findMembership } from "../../../core/accounts/memberships.ts";
import { notAMember } from "../../sessions/errors.ts";
import type { UnitOptions, UnitOptionsQuery } from "./schemas.ts";

const MAX_OPTIONS = 50;

/**
 * Lists the units in which the caller holds anything, each followed by its sub-units; those that match a search.
 * @throws notAMember; the errors of `assertMayAct` if the session may not act there, and so sees no units there
 */
export async function listUnitOptions(
  { app, db: { lists }, actor }: SignedInCall,
  { organizationId, search }: z.output<typeof UnitOptionsQuery>,
): Promise<z.output<typeof UnitOptions>> {
  const membership = await findMembership(lists, { userId: actor.userId, organizationId });
  if (membership === null) throw notAMember();
  await assertMayAct({ app, db: lists, actor }, organizationId);
  const inUnits = permissions().flatMap(({ name, scope }) => (scope === "unit" ? [name] : []));
  const rows = await queries.listUnitsForApp.run(
    { membershipId: membership.id, organizationId, search, permissions: inUnits },
    lists,
  );
  // pop() takes the last unit, so siblings are pushed in reverse order.
  const below = Map.groupBy(rows.toReversed(), ({ parentId }) => parentId);
  const shown: z.output<typeof UnitOptions> = [];
  const waiting = (below.get(null) ?? []).map((unit) => ({ unit, above: "", isHeld: false }));
  for (let next = waiting.pop(); next !== undefined && shown.length < MAX_OPTIONS; next = waiting.pop()) {
    const { id, name, matches, isGranted } = next.unit;
    const path = next.above + name;
    const isHeld = next.isHeld || isGranted;
    if (isHeld && matches) shown.push({ id, name, path });
    for (const unit of below.get(id) ?? []) waiting.push({ unit, above: `${path} / `, isHeld });
  }
  return shown;
}
