import { feature, type Tx } from "#kit";
import * as queries from "#sql/joining";
import { audit } from "./audit.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { personalData } from "./personal-data.ts";
import { joiningRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    joining: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const joining = feature({
  tags: { joining: "Joining an organization by the domain of one's address." },
  audit,
  notifications,
  mails,
  routes: [joiningRoutes],
  abuseLimits: LIMITS,
  personalData,
  retention: [queries.deleteOldRequests],
  ends: {
    organization: async (tx: Tx, organizationId: string) => {
      await queries.deleteRequestsOfOrganization.run({ organizationId }, tx.db);
    },
    // A request ends with a membership and with another address. Nothing revives it when these end.
    memberships: async (tx, of) => {
      await queries.deleteUndecidedRequests.run(of, tx.db);
    },
    email: async (tx, userId) => {
      await queries.deleteUndecidedRequests.run({ userId }, tx.db);
    },
    user: async (tx: Tx, userId: string) => {
      await queries.deleteRequestsOfUser.run({ userId }, tx.db);
    },
    domain: async (tx: Tx, domain) => {
      await queries.deleteRequestsByDomain.run(domain, tx.db);
    },
  },
});
