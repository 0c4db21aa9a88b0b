import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startDnsServer } from "../../../../src/dev/dns/server.ts";
import { openOidc, withProviders } from "../../../support/oidc.ts";
import { startMock } from "../../../support/payments.ts";
import { PAYMENT, PLANS } from "../../../support/plans.ts";
import { startService } from "../../../support/service.ts";
import { SsoProvider } from "../../../support/sso-provider.ts";
import { LOCAL } from "../../../support/webhooks.ts";
import type { Target } from "./case.ts";
import { startReceiver } from "./receiver.ts";

/** The plans of tests; the features of the most expensive one include single sign-on. */
const WITH_SSO = {
  ...PLANS,
  plans: PLANS.plans.map((plan) =>
    plan.key === "enterprise" ? { ...plan, features: [...plan.features, "sso"] } : plan,
  ),
};

/** Starts the service under test with payments, plans, an identity provider, and storage in a folder. */
export async function startTarget(folder: string): Promise<Target & { stop(): Promise<void> }> {
  const plans = join(folder, "plans.json");
  await writeFile(plans, JSON.stringify(WITH_SSO));
  const payments = startMock();
  const { oidc, stop: stopProvider } = await openOidc("google");
  const [sso, dns] = [await SsoProvider.open(), await startDnsServer()];
  const environment = {
    ...PAYMENT,
    ...withProviders(oidc),
    ...LOCAL,
    PAYMENT_API_URL: payments.url,
    BILLING_PLANS_FILE: plans,
    TRUST_PROXY: "1",
    DNS_SERVERS: dns.address,
    STORAGE_DRIVER: "local",
    STORAGE_DIR: join(folder, "storage"),
  };
  const t = await startService(environment, { keep: true });
  const receiver = startReceiver(t);
  return {
    t,
    provider: oidc,
    ...{ receiver, sso, dns },
    sign: (type, customer) => payments.event(type, { customer }),
    failPayments: (isAway) => payments.failNext(isAway ? 1_000_000 : 0),
    async stop() {
      await t.stop();
      await receiver.stop();
      await Promise.all([payments.stop(), stopProvider(), sso.stop(), dns.stop()]);
    },
  };
}
