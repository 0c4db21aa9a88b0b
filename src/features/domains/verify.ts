import { authorize, memoizePerApp, type OrganizationCall, Rate, transaction } from "#kit";
import { domainNotVerified } from "../../core/access/sign-on-errors.ts";
import { LIMITS } from "./limits.ts";
import { findDomain, showDomain } from "./read.ts";
import { checkRecord, recordOf } from "./record.ts";
import { storeAbsent, writePresent } from "./write-check.ts";

const checksOf = memoizePerApp(() => new Rate(LIMITS.checks));
const MAX_FOUND = 5;
const MAX_FOUND_CHARACTERS = 100;

/**
 * Asks DNS now whether a domain is proven, and writes what the answer says, like the job.
 * @throws notFound, tooManyRequests, domainNotVerified, domainTaken, checkedElsewhere
 */
export async function verifyDomain(call: OrganizationCall, id: string) {
  const { app, organizationId } = call;
  const { domain, value, status } = await transaction(call, async (tx) => {
    await authorize(tx, "SingleSignOn.Update");
    return findDomain(tx.db, organizationId, id);
  });
  await checksOf(app).consume(organizationId);
  const answer = await checkRecord(app, recordOf(app.config, domain, value));
  const checked = { id, organizationId, domain, status };
  if (answer.outcome === "absent") await storeAbsent(call, checked);
  if (answer.outcome !== "present") {
    const found = answer.found.slice(0, MAX_FOUND).map((one) => one.slice(0, MAX_FOUND_CHARACTERS));
    throw domainNotVerified({ reason: answer.outcome, found });
  }
  return transaction(call, async (tx) => {
    await authorize(tx, "SingleSignOn.Update");
    await writePresent(tx, checked);
    return showDomain(tx, id);
  });
}
