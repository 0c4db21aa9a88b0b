import * as subscriptions from "#sql/plans";
import type { Tx } from "../context.ts";

/** Starts the trial of a new organization, if the plan file has one. */
export async function startTrial(tx: Tx, organizationId: string): Promise<void> {
  const trial = tx.app.config.billing.plans?.trial ?? null;
  if (trial !== null) await subscriptions.startTrial.run({ organizationId, days: trial.days }, tx.db);
}
