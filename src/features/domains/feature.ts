import { exactlyOne, feature } from "#kit";
import { findJoinRole, findJoinUnit } from "#sql/domains";
import type { ResolveTxt } from "../../platform/http/dns/resolve-txt.ts";
import { audit } from "./audit.ts";
import { domainJobs } from "./jobs.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { deleteDomainsOf } from "./manage.ts";
import { notifications } from "./notifications.ts";
import { domainRoutes } from "./routes.ts";

declare module "../../core/context.ts" {
  interface App {
    /** Asks DNS for TXT records. */
    readonly resolveTxt: ResolveTxt;
  }
}
declare module "#src/core/definitions/features" {
  interface Features {
    domains: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const domains = feature({
  tags: { domains: "Domains that the organization proves by a record in DNS." },
  audit,
  notifications,
  mails,
  routes: [domainRoutes],
  jobs: domainJobs,
  abuseLimits: LIMITS,
  holds: {
    unit: async (tx, unitId) => exactlyOne(await findJoinUnit.run({ unitId }, tx.db)).isInUse,
    role: async (tx, role) => exactlyOne(await findJoinRole.run(role, tx.db)).isInUse,
  },
  ends: { organization: deleteDomainsOf },
});
