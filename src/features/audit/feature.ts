import { feature } from "#kit";
import { audit as actions } from "./audit.ts";
import { auditConfig } from "./config.ts";
import { auditJobs } from "./periods.ts";
import { personalData } from "./personal-data.ts";
import { auditRoutes } from "./routes.ts";
import { sealJobs } from "./seal.ts";

const permissions = {
  "Audit.Read": ["unit", "Read the audit log"],
} as const;

const planFeatures = { audit: true } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    audit: { permissions: typeof permissions; planFeatures: typeof planFeatures; audit: typeof actions };
  }
}

export const audit = feature({
  config: auditConfig,
  tags: { audit: "An append-only log of the actions of users." },
  permissions,
  planFeatures,
  audit: actions,
  routes: [auditRoutes],
  jobs: [...auditJobs, ...sealJobs],
  personalData,
});
