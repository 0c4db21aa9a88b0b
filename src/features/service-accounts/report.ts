import { audit, type Call, tokenHash as digestOf, endOf, event, transaction } from "#kit";
import { lockOrganizationOfKey } from "#kit/inside";
import * as queries from "#sql/service-accounts";
import { looksLikeAppSecret } from "../../core/access/token-forms.ts";
import { notifyHolders } from "./notify-holders.ts";
import { presentKey } from "./present.ts";
import { findKey } from "./read.ts";

/**
 * Revokes a leaked key, sent by somebody who found it; of a token of an app, what the app was allowed. The response does not
 * reveal whether the key existed.
 */
export async function revokeReportedKey(call: Call, key: string): Promise<void> {
  if (looksLikeAppSecret(key)) {
    await transaction(call, (tx) => endOf("tokenSecrecy", tx, key));
    return;
  }
  const tokenHash = digestOf(key);
  await transaction(call, async (tx) => {
    if (!(await lockOrganizationOfKey(tx, tokenHash))) return;
    const [revoked] = await queries.revokeReportedApiKey.run({ tokenHash }, tx.db);
    if (revoked === undefined) return;
    const { id, serviceAccountId, organizationId, start } = revoked;
    const assignments = await queries.listServiceAccountAssignments.run(
      { id: serviceAccountId, organizationId },
      tx.db,
    );
    await audit(tx, "API_KEY_REVOKED", {
      organizationId,
      target: { type: "api_key", id, unitIds: assignments.map(({ unitId }) => unitId) },
      metadata: { serviceAccountId, start, via: "reported" },
    });
    const object = async () => presentKey(await findKey({ organizationId }, { id, serviceAccountId }, tx.db));
    const reach = { allUnits: assignments.map(({ unitId }) => unitId) };
    await event(tx, "api_key.revoked", { organizationId, id, object, reach });
    await notifyHolders(tx, "API_KEY_REPORTED", revoked);
  });
}
