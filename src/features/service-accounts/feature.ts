import { eventsAbout, feature, type LimitEntry } from "#kit";
import type { CallerKind } from "#kit/inside";
import { deleteEndedApiKeys, listAccountChanges } from "#sql/service-accounts";
import { looksLikeApiKey } from "../../core/access/token-forms.ts";
import { audit } from "./audit.ts";
import { apiKeyConfig } from "./config.ts";
import { serviceAccountJobs } from "./jobs.ts";
import { keyRoutes } from "./key-routes.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { countServiceAccounts } from "./read.ts";
import { serviceAccountRoutes } from "./routes.ts";
import { ApiKey, ServiceAccount } from "./schemas.ts";
import { verifyKey } from "./verify-key.ts";

const permissions = {
  "ServiceAccounts.Read": ["unit", "See service accounts and their keys"],
  "ServiceAccounts.Create": ["unit", "Create service accounts"],
  "ServiceAccounts.Update": ["unit", "Rename, enable and disable service accounts"],
  "ServiceAccounts.UpdateRoles": ["unit", "Change service accounts' roles"],
  "ServiceAccounts.Delete": ["unit", "Delete service accounts"],
  "ApiKeys.Create": ["unit", "Create, change and rotate API keys"],
  "ApiKeys.Delete": ["unit", "Revoke API keys"],
} as const;

const limits = {
  serviceAccounts: {
    count: countServiceAccounts,
    changes: (db, period) => listAccountChanges.run(period, db),
    text: { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
  },
} as const satisfies Record<string, LimitEntry>;

const events = {
  ...eventsAbout(ServiceAccount, "ServiceAccounts.Read", {
    "service_account.created": "A service account was created.",
    "service_account.updated": "A service account changed, or its roles did.",
    "service_account.deleted": "A service account was deleted, with its keys.",
  }),
  ...eventsAbout(ApiKey, "ServiceAccounts.Read", {
    "api_key.created": "An API key was created.",
    "api_key.rotated": "An API key was replaced by a new one.",
    "api_key.revoked": "An API key was revoked.",
  }),
};

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { service_account: "places", api_key: "places" } as const;

const byApiKey: CallerKind = {
  recognizes: looksLikeApiKey,
  verify: (token, { request, context }) => verifyKey(token, request, context),
};

declare module "#src/core/definitions/features" {
  interface Features {
    serviceAccounts: {
      permissions: typeof permissions;
      limits: typeof limits;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const serviceAccounts = feature({
  tags: {
    "service-accounts":
      "Identities of machines in the active organization, with roles like members, and their API keys.",
  },
  permissions,
  limits,
  events,
  audit,
  targets,
  notifications,
  mails,
  callers: { "api-key": byApiKey },
  config: apiKeyConfig,
  routes: [serviceAccountRoutes, keyRoutes],
  jobs: serviceAccountJobs,
  // Keys that expired or were revoked 90 days ago.
  retention: [deleteEndedApiKeys],
  abuseLimits: LIMITS,
});
