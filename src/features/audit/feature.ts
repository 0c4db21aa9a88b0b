import { feature } from "../../core/api/feature.ts";
import { auditJobs } from "./periods.ts";
import { auditRoutes } from "./routes.ts";
import { sealJobs } from "./seal.ts";

const permissions = {
  "Audit.Read": ["unit", "Read the audit log"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    audit: { permissions: typeof permissions };
  }
}

export const audit = feature({
  permissions,
  routes: [auditRoutes],
  jobs: [...auditJobs, ...sealJobs],
});
