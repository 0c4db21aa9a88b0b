import { feature } from "../../core/api/feature.ts";
import { auditJobs } from "./periods.ts";
import { auditRoutes } from "./routes.ts";
import { sealJobs } from "./seal.ts";

export const audit = feature({
  routes: [auditRoutes],
  jobs: [...auditJobs, ...sealJobs],
});
