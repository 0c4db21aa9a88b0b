import { feature } from "../../core/api/feature.ts";
import { audit as actions } from "./audit.ts";
import { auditJobs } from "./periods.ts";
import { auditRoutes } from "./routes.ts";
import { sealJobs } from "./seal.ts";

const permissions = {
  "Audit.Read": ["unit", "Read the audit log"],
} as const;

const planFeatures = { audit: true } as const;

declare module "../../core/features.ts" {
  interface Features {
    audit: { permissions: typeof permissions; planFeatures: typeof planFeatures; audit: typeof actions };
  }
}

export const audit = feature({
  permissions,
  planFeatures,
  audit: actions,
  routes: [auditRoutes],
  jobs: [...auditJobs, ...sealJobs],
});
