import {
  audit,
  endOf,
  lockOrganization,
  mail,
  type Service,
  systemCall,
  type Tx,
  transaction,
  violatedConstraint,
} from "#kit";
import * as queries from "#sql/domains";
import { domainTaken } from "../../core/access/sign-on-errors.ts";
import { tellHolders } from "../notifications/tell-holders.ts";
import { findDomain } from "./read.ts";

/** For how long the record of a verified domain may be absent. */
const LAPSE_MS = 14 * 86_400_000;

/** A domain that was checked, with the status that was read before. */
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

/**
 * Stores that the record of a domain is absent, warns its organization of a verified one, and lets it lapse after two weeks (rules 39.7).
 * Does nothing if the domain's status has changed since `status` was read. Whoever asked DNS is not the actor.
 */
export const storeAbsent = (service: Service, checked: Checked): Promise<void> =>
  transaction(systemCall(service), async (tx) => {
    await lockOrganization(tx, checked.organizationId);
    await writeAbsent(tx, checked);
  });

async function writeAbsent(tx: Tx, { id, organizationId, domain, status }: Checked): Promise<void> {
  const [written] = await queries.markDomainAbsent.run({ id, status }, tx.db);
  if (written === undefined) return;
  const { hasLapsed, isWarned, missingSince } = written;
  const holders = { organizationId, permission: "SingleSignOn.Update" } as const;
  if (isWarned && missingSince !== null) {
    const lapsesAt = new Date(missingSince.getTime() + LAPSE_MS).toISOString();
    await tellHolders(
      tx,
      holders,
      ["DOMAIN_MISSING", { organizationId, domain, lapsesAt }],
      (to, organizationName) =>
        mail(tx, { kind: "domainMissing", ...to, data: { domain, organizationName, lapsesAt } }),
    );
  }
  if (!hasLapsed) return;
  await endOf("domain", tx, { organizationId, domain });
  await tellHolders(tx, holders, ["DOMAIN_LAPSED", { organizationId, domain }], (to, organizationName) =>
    mail(tx, { kind: "domainLapsed", ...to, data: { domain, organizationName } }),
  );
  await audit(tx, "DOMAIN_LAPSED", {
    actorId: null,
    organizationId,
    target: { type: "domain", id },
    metadata: { domain },
  });
}
