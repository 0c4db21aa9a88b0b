import { healthRoutes } from "../core/api/health.ts";
import { Router } from "../core/api/router.ts";
import { accountRoutes } from "../features/accounts/routes.ts";
import { auditRoutes } from "../features/audit/routes.ts";
import { billingRoutes } from "../features/billing/routes.ts";
import { emailChangeRoutes } from "../features/email-change/routes.ts";
import { eventTypeRoutes } from "../features/event-types/routes.ts";
import { eventRoutes } from "../features/events/routes.ts";
import { organizationHelpdeskRoutes } from "../features/helpdesk/organization-routes.ts";
import { platformHelpdeskRoutes } from "../features/helpdesk/platform-routes.ts";
import { supportRoutes } from "../features/helpdesk/support-routes.ts";
import { identityRoutes } from "../features/identities/routes.ts";
import { invitationRoutes } from "../features/invitations/routes.ts";
import { memberRoutes } from "../features/members/routes.ts";
import { notificationRoutes } from "../features/notifications/routes.ts";
import { testNotificationRoutes } from "../features/notifications/test-routes.ts";
import { organizationRoutes } from "../features/organizations/routes.ts";
import { overviewRoutes } from "../features/overview/routes.ts";
import { passkeyRoutes } from "../features/passkeys/routes.ts";
import { personalDataRoutes } from "../features/personal-data/routes.ts";
import { profileRoutes } from "../features/profile/routes.ts";
import { roleRoutes } from "../features/roles/routes.ts";
import { keyRoutes } from "../features/service-accounts/key-routes.ts";
import { serviceAccountRoutes } from "../features/service-accounts/routes.ts";
import { sessionRoutes } from "../features/sessions/routes.ts";
import { todoRoutes } from "../features/todos/routes.ts";
import { twoFactorRoutes } from "../features/two-factor/routes.ts";
import { unitRoutes } from "../features/units/routes.ts";
import { userRoutes } from "../features/users/routes.ts";
import { webhookRoutes } from "../features/webhooks/routes.ts";

/**
 * Every route of the service, in the order of the OpenAPI document. If two paths match, the first one wins:
 * `/members/invitations` comes before `/members/{userId}`, and `/reauthenticate/options` before
 * `/reauthenticate/{provider}`.
 */
export const api = new Router()
  .route("/", sessionRoutes)
  .route("/", accountRoutes)
  .route("/", twoFactorRoutes)
  .route("/", profileRoutes)
  .route("/", passkeyRoutes)
  .route("/", identityRoutes)
  .route("/", emailChangeRoutes)
  .route("/", personalDataRoutes)
  .route("/", notificationRoutes)
  .route("/", organizationRoutes)
  .route("/", overviewRoutes)
  .route("/", unitRoutes)
  .route("/", roleRoutes)
  .route("/", invitationRoutes)
  .route("/", memberRoutes)
  .route("/", serviceAccountRoutes)
  .route("/", keyRoutes)
  .route("/", todoRoutes)
  .route("/", auditRoutes)
  .route("/", eventRoutes)
  .route("/", eventTypeRoutes)
  .route("/", webhookRoutes)
  .route("/", billingRoutes)
  .route("/", supportRoutes)
  .route("/", organizationHelpdeskRoutes)
  .route("/", platformHelpdeskRoutes)
  .route("/", userRoutes)
  .route("/", healthRoutes);

/** The type for `hc<Api>()` of `hono/client`, which makes every call typed. */
export type Api = typeof api;

/** Returns the routes of the service, in development also those that only development has. */
export const developmentApi = new Router().route("/", api).route("/", testNotificationRoutes);
