import { SQL } from "bun";
import type { Config } from "../../core/config.ts";
import { recordOf } from "../../features/domains/record.ts";
import { startDnsPage } from "../dns/page.ts";
import { startDnsServer } from "../dns/server.ts";
import { startCompanyProvider } from "./company-provider.ts";
import { ACME_DOMAIN, GLOBEX_DOMAIN } from "./domains.ts";

type Ports = { entra: number; okta: number; dns: number; dnsPage: number };

/** Starts what single sign-on needs on this machine: two providers of companies, and DNS. */
export async function startSignOn({
  url,
  databaseUrl,
  ports,
}: {
  url: string;
  databaseUrl: string;
  ports: Ports;
}) {
  const dns = await startDnsServer(ports.dns);
  const entra = await startCompanyProvider({
    ...{ kind: "entra", name: "Entra-like provider", domain: ACME_DOMAIN },
    ...{ serviceUrl: url, port: ports.entra },
  });
  const okta = await startCompanyProvider({
    ...{ kind: "okta", name: "Okta-like provider", domain: GLOBEX_DOMAIN },
    ...{ serviceUrl: url, port: ports.okta },
  });
  const sql = new SQL({ url: databaseUrl, max: 1, idleTimeout: 5 });
  const listDomains = async (config: Config) =>
    (
      await sql`SELECT o.name AS organization, d.domain, d.value, d.status FROM organization_domains d
        JOIN organizations o ON o.id = d.organization_id AND NOT o.is_deleted ORDER BY o.name, d.domain`
    ).map(({ organization, domain, value, status }: Record<string, string>) => {
      const { name, value: text } = recordOf(config, domain ?? "", value ?? "");
      return { organization: organization ?? "", status, name, value: text };
    });
  let page: ReturnType<typeof startDnsPage> | null = null;
  return {
    dns,
    entra,
    okta,
    /** The provider of Globex. */
    provider: { issuer: okta.issuer, clientId: okta.client.id, clientSecret: okta.client.secret },
    /** Serves the page of DNS, and publishes the records of domains that are verified, because DNS keeps nothing. */
    async showDns(config: Config): Promise<string> {
      page = startDnsPage({ dns, port: ports.dnsPage, needed: () => listDomains(config) });
      for (const { status, name, value } of await listDomains(config))
        if (status === "VERIFIED") dns.publish(name, value);
      return page.url;
    },
    async stop() {
      await page?.stop();
      await sql.close();
      await dns.stop();
      await entra.stop();
      await okta.stop();
    },
  };
}
