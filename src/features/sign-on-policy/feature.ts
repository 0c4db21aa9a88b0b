import { feature, type Tx } from "#kit";
import * as queries from "#sql/sign-on-policy";
import { audit } from "./audit.ts";
import { tellOfLostFactor } from "./break-glass.ts";
import { policyJobs } from "./jobs.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { policyRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    signOnPolicy: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const signOnPolicy = feature({
  tags: { "sign-on": "How members of the organization sign in." },
  audit,
  notifications,
  mails,
  routes: [policyRoutes],
  jobs: policyJobs,
  ends: {
    organization: async (tx: Tx, organizationId: string) => {
      await queries.deletePolicy.run({ organizationId }, tx.db);
    },
    secondFactor: tellOfLostFactor,
  },
});
