import { mail, notifyAll, type Tx } from "#kit";
import { fromStored } from "#kit/inside";
import { listHolders } from "../../core/accounts/memberships.ts";

const DAYS_UNTIL_LAPSE = 14;
const DAY_MS = 86_400_000;

type Missing = { organizationId: string; domain: string; missingSince: Date };

/** Tells the members who may change domains that a record is missing, in the application and by mail. */
export async function notifyOfMissing(tx: Tx, { organizationId, domain, missingSince }: Missing) {
  const lapsesAt = new Date(missingSince.getTime() + DAYS_UNTIL_LAPSE * DAY_MS).toISOString();
  const holders = await listHolders(tx, organizationId, "SingleSignOn.Update");
  const ids = holders.map(({ id }) => id);
  await notifyAll(tx, ids, "DOMAIN_MISSING", { organizationId, domain, lapsesAt });
  for (const { email, language, organizationName } of holders)
    await mail(tx, {
      kind: "domainMissing",
      to: email,
      language: fromStored(language),
      data: { domain, organizationName, lapsesAt },
    });
}

/** Tells the members who may change domains that one has lapsed, in the application and by mail. */
export async function notifyOfLapse(tx: Tx, { organizationId, domain }: Omit<Missing, "missingSince">) {
  const holders = await listHolders(tx, organizationId, "SingleSignOn.Update");
  const ids = holders.map(({ id }) => id);
  await notifyAll(tx, ids, "DOMAIN_LAPSED", { organizationId, domain });
  for (const { email, language, organizationName } of holders)
    await mail(tx, {
      kind: "domainLapsed",
      to: email,
      language: fromStored(language),
      data: { domain, organizationName },
    });
}
