import { ApiError, type JobKind, lockOrganization, type Service, systemCall, transaction } from "#kit";
import * as queries from "#sql/domains";
import { domainTaken } from "../../core/access/sign-on-errors.ts";
import { checkRecord, recordOf } from "./record.ts";
import { storeAbsent, writePresent } from "./write-check.ts";

/** The number of domains of which DNS is asked at once. Silent servers take five seconds. */
const DOMAINS_AT_ONCE = 20;

type Due = Awaited<ReturnType<typeof queries.takeDomainsToCheck.run>>[number];

/** A job that checks domains when their time has come (rules 39.4). */
export const domainJobs: JobKind<Service>[] = [
  {
    queue: "domains.check",
    schedule: "* * * * *",
    concurrency: 1,
    async run(service) {
      if (!service.app.config.sso) return;
      for (;;) {
        const due = await queries.takeDomainsToCheck.run({ max: DOMAINS_AT_ONCE }, service.db.writes);
        await Promise.all(due.map((domain) => check(service, domain)));
        if (due.length < DOMAINS_AT_ONCE) return;
      }
    },
  },
];

/** Checks one domain, and writes what follows. */
async function check(service: Service, due: Due): Promise<void> {
  const { app, db } = service;
  const { id, organizationId, domain, value, status } = due;
  const { outcome } = await checkRecord(app, recordOf(app.config, domain, value));
  if (outcome === "unanswered") {
    await queries.postponeDomainCheck.run({ id }, db.writes);
    return;
  }
  if (outcome === "absent") {
    await storeAbsent(service, due);
    return;
  }
  const isTaken = await transaction(systemCall(service), async (tx) => {
    await lockOrganization(tx, organizationId);
    await writePresent(tx, { id, organizationId, domain, status });
    return false;
  }).catch((error) => {
    if (error instanceof ApiError && [domainTaken.code, "NOT_FOUND"].includes(error.code)) return true;
    throw error;
  });
  if (isTaken) await queries.markDomainTaken.run({ id, status }, db.writes);
}
