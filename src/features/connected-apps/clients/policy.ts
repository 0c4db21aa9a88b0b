import type { Tx } from "#kit";
import * as queries from "#sql/oauth-clients";
import { endGrants } from "../end-grants.ts";

/**
 * Ends the grants in an organization that its policy does not cover, as it is now: all of them, or those of one app. Returns how many
 * were connected. What only the operator blocks is refused at each request, and nothing of it ends. Call under the organization's lock,
 * after the change.
 */
export async function endUncovered(
  tx: Tx,
  organizationId: string,
  app: string | null = null,
): Promise<number> {
  const operator = { ...tx.app.config.appRules, blocked: [] } as unknown as queries.Json;
  const rows = await queries.listUncoveredGrants.run({ organizationId, app, operator }, tx.db);
  return endGrants(
    tx,
    rows.map(({ id }) => id),
    "policy",
  );
}
