import { eventsAbout, feature } from "#kit";
import type { CallerKind } from "#kit/inside";
import { deleteOldDocuments } from "#sql/oauth-documents";
import { deleteOldGrants } from "#sql/oauth-grants";
import { deleteOldCodes, deleteOldTokens, deleteTokensOfEndedGrants } from "#sql/oauth-tokens";
import { looksLikeAppSecret } from "../../core/access/token-forms.ts";
import { audit } from "./audit.ts";
import { authorizeRoutes } from "./authorize/routes.ts";
import { approvedAppRoutes } from "./clients/approved-routes.ts";
import { clientRoutes, platformClientRoutes } from "./clients/routes.ts";
import { connectedAppConfig } from "./config.ts";
import { grantEnds } from "./grants/end.ts";
import { personalData } from "./grants/personal-data.ts";
import { grantRoutes } from "./grants/routes.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { ConnectedAppOfMember } from "./schemas.ts";
import { endReported } from "./tokens/revoke.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { verifyApp } from "./tokens/verify.ts";

const permissions = {
  "ConnectedApps.Read": ["unit", "See the connected apps of members"],
  "ConnectedApps.Delete": ["unit", "Disconnect apps of members"],
} as const;

const events = eventsAbout(ConnectedAppOfMember, "ConnectedApps.Read", {
  "connected_app.created": "A member connected an app.",
  "connected_app.ended": "The access of an app ended before its time.",
});

/** Whom an audit event about such a record concerns (rules 16.14): a connected app concerns its member. */
const targets = {
  connected_app: "person",
  oauth_client: "organization",
  approved_app: "organization",
} as const;

const byAppToken: CallerKind = {
  recognizes: looksLikeAppSecret,
  verify: (token, { context }) => verifyApp(token, "api", context),
};

declare module "#src/core/definitions/features" {
  interface Features {
    connectedApps: {
      permissions: typeof permissions;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const connectedApps = feature({
  tags: {
    "connected-apps": "Apps and agents that act for a person, in one organization or unit, within scopes.",
    "oauth-clients": "Apps that the organization, or the operator of the service, registered or approved.",
  },
  permissions,
  events,
  audit,
  targets,
  notifications,
  mails,
  callers: { app: byAppToken },
  config: connectedAppConfig,
  routes: [authorizeRoutes, tokenRoutes, approvedAppRoutes, clientRoutes, platformClientRoutes, grantRoutes],
  ends: { ...grantEnds, tokenSecrecy: endReported },
  personalData,
  retention: [
    deleteOldDocuments,
    deleteOldCodes,
    deleteOldTokens,
    deleteTokensOfEndedGrants,
    deleteOldGrants,
  ],
  abuseLimits: LIMITS,
});
