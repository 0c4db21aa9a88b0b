import { afterAll } from "bun:test";
import { type DnsServer, startDnsServer } from "../../src/dev/dns/server.ts";
import { domainJobs } from "../../src/features/domains/jobs.ts";
import type { Caller } from "./caller.ts";
import type { Environment } from "./environment.ts";
import type { Organization } from "./organizations.ts";
import { expectStatus, type Service, startService } from "./service.ts";

export const DOMAINS = "/api/organization/domains";

export type Domain = {
  id: string;
  domain: string;
  status: string;
  record: { name: string; type: string; value: string };
  checkedAt: string | null;
  verifiedAt: string | null;
  missingSince: string | null;
};

/** Starts a service that asks a DNS server of the test. */
export async function startWithDns(overrides: Environment = {}): Promise<{ t: Service; dns: DnsServer }> {
  const dns = await startDnsServer();
  const t = await startService({ DNS_SERVERS: dns.address, ...overrides });
  afterAll(() => dns.stop());
  return { t, dns };
}

/** Returns a name that no other test has. */
export const newName = (): string => `acme-${crypto.randomUUID().slice(0, 18)}.com`;

export const add = async ({ admin }: Pick<Organization, "admin">, domain = newName()): Promise<Domain> =>
  expectStatus(await admin.post(DOMAINS, { domain }), 201).body;

export const publish = (dns: DnsServer, { record }: Domain) => dns.publish(record.name, record.value);

export const verify = (caller: Caller, { id }: Domain) => caller.post(`${DOMAINS}/${id}/verify`);

export const read = async (caller: Caller, { id }: Domain): Promise<Domain> =>
  expectStatus(await caller.get(`${DOMAINS}/${id}`), 200).body;

/** Adds a domain and verifies it. */
export async function verified(dns: DnsServer, org: Organization, name = newName()): Promise<Domain> {
  const domain = await add(org, name);
  publish(dns, domain);
  return expectStatus(await verify(org.admin, domain), 200).body;
}

/** Runs the job that checks domains. */
export async function runChecks(t: Service): Promise<void> {
  await domainJobs[0]?.run(t.running, {} as never);
}

/** Lets a day pass for a domain, and runs the job. */
export async function nextDay(t: Service, { id }: Domain, days = 1): Promise<void> {
  await t.age("organization_domains", { id }, { days, minutes: 1 });
  await runChecks(t);
}
