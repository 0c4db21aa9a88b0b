import type { z } from "zod";
import {
  audit,
  authorize,
  conflict,
  endOf,
  exactlyOne,
  notFound,
  type OrganizationCall,
  sizeLimitReached,
  type Tx,
  transaction,
  validationFailed,
} from "#kit";
import * as queries from "#sql/domains";
import { normalizeDomain } from "./name.ts";
import { showDomain } from "./read.ts";
import { newRecordValue } from "./record.ts";
import type { CreateDomainBody } from "./schemas.ts";

const MAX_DOMAINS = 20;

/**
 * Adds a domain that the organization has yet to prove. Nothing depends on whether another organization has it: only who
 * proves the domain learns that.
 * @throws validationFailed, conflict, sizeLimitReached
 */
export async function createDomain(tx: Tx<OrganizationCall>, body: z.output<typeof CreateDomainBody>) {
  const { app, organizationId, actor } = tx;
  const domain = normalizeDomain(body.domain, app.config);
  if (domain === null)
    throw validationFailed([{ path: "domain", message: "domain must be a domain of your organization" }]);
  await authorize(tx, "SingleSignOn.Update");
  const { count, isThere } = exactlyOne(await queries.countDomains.run({ organizationId, domain }, tx.db));
  if (isThere) throw conflict();
  if (count >= MAX_DOMAINS) throw sizeLimitReached("An organization has at most 20 domains", MAX_DOMAINS);
  const value = newRecordValue();
  const added = { organizationId, domain, value, createdById: actor.userId };
  const { id } = exactlyOne(await queries.insertDomain.run(added, tx.db));
  await audit(tx, "DOMAIN_ADDED", {
    organizationId,
    target: { type: "domain", id },
    metadata: { domain },
  });
  return showDomain(tx, id);
}

/** Removes a domain: nobody signs in or joins by it any more. @throws notFound, conflict */
export async function deleteDomain(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "SingleSignOn.Update", { worksInSuspended: true });
    const [removed] = await queries.deleteDomain.run({ id, organizationId }, tx.db);
    if (removed === undefined) throw notFound();
    const [policy] = await queries.isSignOnRequired.run({ organizationId }, tx.db);
    if (policy?.isRequired) throw conflict();
    const { domain } = removed;
    await endOf("domain", tx, { organizationId, domain });
    await audit(tx, "DOMAIN_REMOVED", {
      organizationId,
      target: { type: "domain", id },
      metadata: { domain },
    });
  });
}

/** Removes the domains of a deleted organization, which others may prove then. */
export async function deleteDomainsOf(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteDomainsOfOrganization.run({ organizationId }, tx.db);
}
