import { feature } from "../../core/api/feature.ts";
import { auditJobs } from "./periods.ts";
import { auditRoutes } from "./routes.ts";
import { sealJobs } from "./seal.ts";

const permissions = {
  "Audit.Read": ["unit", "Read the audit log"],
} as const;

const planFeatures = { audit: true } as const;

declare module "../../core/features.ts" {
  interface Features {
    audit: { permissions: typeof permissions; planFeatures: typeof planFeatures };
  }
}

export const audit = feature({
  permissions,
  planFeatures,
  routes: [auditRoutes],
  jobs: [...auditJobs, ...sealJobs],
});
