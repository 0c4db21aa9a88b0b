import { exactlyOne, feature } from "#kit";
import type { CallerKind } from "#kit/inside";
import { deleteOldSetupLinks } from "#sql/sign-on-setup";
import { findRoleOfSignOn, findUnitOfSignOn } from "#sql/sso-connections";
import { deleteOldTests } from "#sql/sso-sign-in";
import { SETUP_PREFIX } from "../../core/access/access.ts";
import { audit } from "./audit.ts";
import { endConnectionsOf, endIdentities } from "./connection-delete.ts";
import { connectionRoutes } from "./connection-routes.ts";
import { connectionJobs } from "./jobs.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { mappingRoutes } from "./mapping-routes.ts";
import { notifications } from "./notifications.ts";
import { peopleRoutes } from "./people-routes.ts";
import { personalData } from "./personal-data.ts";
import { revokeSetupLinksOf } from "./setup-links.ts";
import { setupRoutes } from "./setup-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import { verifySetupLink } from "./verify-setup-link.ts";

const permissions = {
  "SingleSignOn.Read": ["organization", "See domains, connections and the sign-on policy"],
  "SingleSignOn.Update": ["organization", "Change domains, connections and the sign-on policy"],
  "SingleSignOn.Bypass": ["organization", "Choose who may act without single sign-on"],
} as const;

const planFeatures = { sso: true } as const;

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = {
  domain: "organization",
  connection: "organization",
  setup_link: "organization",
  join_request: "organization",
} as const;

const bySetupLink: CallerKind = {
  recognizes: (token) => token.startsWith(SETUP_PREFIX),
  verify: (token, { route, context }) => verifySetupLink(token, route, context),
};

declare module "#src/core/definitions/features" {
  interface Features {
    signOn: {
      permissions: typeof permissions;
      planFeatures: typeof planFeatures;
      targets: typeof targets;
      audit: typeof audit;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const signOn = feature({
  tags: { connections: "OpenID providers of organizations, and signing in by them." },
  permissions,
  planFeatures,
  targets,
  audit,
  notifications,
  mails,
  callers: { "setup-link": bySetupLink },
  routes: [connectionRoutes, peopleRoutes, mappingRoutes, setupRoutes, signInRoutes],
  jobs: connectionJobs,
  personalData,
  retention: [deleteOldTests, deleteOldSetupLinks],
  abuseLimits: LIMITS,
  holds: {
    unit: async (tx, unitId) => exactlyOne(await findUnitOfSignOn.run({ unitId }, tx.db)).isInUse,
    role: async (tx, role) => exactlyOne(await findRoleOfSignOn.run(role, tx.db)).isInUse,
  },
  ends: {
    organization: async (tx, organizationId) => {
      await endConnectionsOf(tx, organizationId);
      await revokeSetupLinksOf(tx, { organizationIds: [organizationId] });
    },
    memberships: async (tx, memberships) => {
      await endIdentities(tx, memberships);
      await revokeSetupLinksOf(tx, memberships);
    },
    user: (tx, userId) => endIdentities(tx, { userId, organizationIds: null }),
  },
});
