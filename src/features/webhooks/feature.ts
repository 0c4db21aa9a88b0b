import { eventsAbout, feature, type LimitEntry } from "#kit";
import { listEndpointChanges } from "#sql/webhooks";
import { audit } from "./audit.ts";
import { webhookConfig } from "./config.ts";
import { webhookJobs } from "./jobs.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { countEndpoints } from "./read.ts";
import { webhookRoutes } from "./routes.ts";
import { WebhookEndpoint } from "./schemas.ts";

const permissions = {
  "Webhooks.Read": ["organization", "See webhook endpoints and their deliveries"],
  "Webhooks.Create": ["organization", "Create webhook endpoints"],
  "Webhooks.Update": ["organization", "Change webhook endpoints and send deliveries again"],
  "Webhooks.Delete": ["organization", "Delete webhook endpoints"],
} as const;

const limits = {
  webhookEndpoints: {
    count: countEndpoints,
    changes: (db, period) => listEndpointChanges.run(period, db),
    text: { en: "Webhook endpoints", el: "Webhooks" },
  },
} as const satisfies Record<string, LimitEntry>;

const events = eventsAbout(WebhookEndpoint, "Webhooks.Read", {
  "webhook_endpoint.created": "A webhook endpoint was created.",
  "webhook_endpoint.updated": "A webhook endpoint changed, or was enabled.",
  "webhook_endpoint.disabled": "A webhook endpoint was disabled.",
  "webhook_endpoint.deleted": "A webhook endpoint was deleted.",
});

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { webhook_endpoint: "organization" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    webhooks: {
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

export const webhooks = feature({
  config: webhookConfig,
  tags: { webhooks: "Endpoints to which events are sent, and their deliveries." },
  permissions,
  limits,
  events,
  audit,
  targets,
  notifications,
  mails,
  routes: [webhookRoutes],
  jobs: webhookJobs,
  abuseLimits: LIMITS,
});
