import type { Tx } from "#kit";
import * as queries from "#sql/oauth-clients";
import { endGrants } from "../end-grants.ts";

/**
 * Ends the grants in an organization that its policy no longer covers: all of them, or those of one app. Apps that only the operator
 * blocks keep their grants, and are refused at each request. Call under the organization's lock, after the change.
 * @returns how many were connected
 */
export async function endUncovered(
  tx: Tx,
  organizationId: string,
  app: string | null = null,
): Promise<number> {
  const operator = { ...tx.app.config.appRules, blocked: [] };
  const rows = await queries.listUncoveredGrants.run({ organizationId, app, operator }, tx.db);
  return endGrants(tx, rows, "policy");
}
