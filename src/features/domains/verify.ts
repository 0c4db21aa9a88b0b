import {
  audit,
  authorize,
  memoizePerApp,
  type OrganizationCall,
  Rate,
  type Tx,
  transaction,
  violatedConstraint,
} from "#kit";
import * as queries from "#sql/domains";
import { domainNotVerified, domainTaken } from "../../core/access/sign-on-errors.ts";
import { checkRecord } from "./check.ts";
import { LIMITS } from "./limits.ts";
import { findDomain, showDomain } from "./read.ts";
import { recordOf } from "./record.ts";

const checksOf = memoizePerApp(() => new Rate(LIMITS.checks));
const MAX_FOUND = 5;
const MAX_FOUND_CHARACTERS = 100;

/**
 * Asks DNS now whether a domain is proven. Only a record that is present changes something; that it is absent is written
 * by the daily job alone.
 * @throws notFound, tooManyRequests, domainNotVerified, domainTaken, checkedElsewhere
 */
export async function verifyDomain(call: OrganizationCall, id: string) {
  const { app, organizationId } = call;
  const { domain, value, status } = await transaction(call, async (tx) => {
    await authorize(tx, "SingleSignOn.Update");
    const row = await findDomain(tx.db, organizationId, id);
    return { domain: row.domain ?? "", value: row.value ?? "", status: row.status ?? "" };
  });
  await checksOf(app).consume(organizationId);
  const answer = await checkRecord(app, recordOf(app.config, domain, value));
  if (answer.outcome !== "present") {
    const found = answer.found.slice(0, MAX_FOUND).map((one) => one.slice(0, MAX_FOUND_CHARACTERS));
    throw domainNotVerified({ reason: answer.outcome, found });
  }
  return transaction(call, async (tx) => {
    await authorize(tx, "SingleSignOn.Update");
    await writePresent(tx, { id, organizationId, domain, status });
    return showDomain(tx, id);
  });
}

type Checked = { id: string; organizationId: string; domain: string; status: string };

/**
 * Writes that the record of a domain is present, with the event if that verifies it. Does nothing if the domain's status
 * has changed since `status` was read: then another check has written what it found. Call under the organization's lock.
 * @throws notFound if the domain was removed; domainTaken if another organization has verified it
 */
export async function writePresent(tx: Tx, { id, organizationId, domain, status }: Checked): Promise<void> {
  if (status !== "VERIFIED") {
    const [other] = await queries.isDomainTaken.run({ domain, organizationId }, tx.db);
    if (other?.isTaken) throw domainTaken();
  }
  // Two organizations have no lock in common: the index decides who of them is first.
  const [written] = await queries.markDomainPresent
    .run({ id, organizationId, status }, tx.db)
    .catch((failure) => {
      throw violatedConstraint(failure) === "organization_domains_verified" ? domainTaken() : failure;
    });
  if (written === undefined) {
    await findDomain(tx.db, organizationId, id);
    return;
  }
  if (status === "VERIFIED") return;
  await audit(tx, "DOMAIN_VERIFIED", {
    organizationId,
    target: { type: "domain", id },
    metadata: { domain },
  });
}
