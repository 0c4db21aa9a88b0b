import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openOidc, withProviders } from "../../../support/oidc.ts";
import { startMock } from "../../../support/payments.ts";
import { PAYMENT, PLANS } from "../../../support/plans.ts";
import { startService } from "../../../support/service.ts";
import { LOCAL } from "../../../support/webhooks.ts";
import type { Target } from "./case.ts";
import { startReceiver } from "./receiver.ts";

/** Starts the service under test with payments, plans, an identity provider, and storage in a folder. */
export async function startTarget(folder: string): Promise<Target & { stop(): Promise<void> }> {
  const plans = join(folder, "plans.json");
  await writeFile(plans, JSON.stringify(PLANS));
  const payments = startMock();
  const { oidc, stop: stopProvider } = await openOidc("google");
  const environment = {
    ...PAYMENT,
    ...withProviders(oidc),
    ...LOCAL,
    PAYMENT_API_URL: payments.url,
    BILLING_PLANS_FILE: plans,
    TRUST_PROXY: "1",
    STORAGE_DRIVER: "local",
    STORAGE_DIR: join(folder, "storage"),
  };
  const t = await startService(environment, { keep: true });
  const receiver = startReceiver(t);
  return {
    t,
    provider: oidc,
    receiver,
    sign: (type, customer) => payments.event(type, { customer }),
    failPayments: (isAway) => payments.failNext(isAway ? 1_000_000 : 0),
    async stop() {
      await t.stop();
      await receiver.stop();
      await Promise.all([payments.stop(), stopProvider()]);
    },
  };
}
