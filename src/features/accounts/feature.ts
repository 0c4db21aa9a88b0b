import { feature } from "#kit";
import { deleteProofsOfEndedSessions } from "#sql/access";
import { deleteOldResets, deleteOldVerifications } from "#sql/accounts";
import { deleteOldAttempts } from "#sql/attempts";
import { deleteOldFailures } from "#sql/sign-in-failures";
import { audit } from "./audit.ts";
import { accountJobs } from "./jobs.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { accountRoutes } from "./routes.ts";

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { user: "user" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    accounts: {
      audit: typeof audit;
      targets: typeof targets;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const accounts = feature({
  tags: { accounts: "Registration, verification and password reset." },
  audit,
  targets,
  notifications,
  mails,
  routes: [accountRoutes],
  jobs: accountJobs,
  // Old verification and reset links (rules 5.13).
  retention: [
    deleteOldVerifications,
    deleteOldResets,
    // Failed sign-ins and attempts that no longer count for a limit, and proofs of sessions that have ended.
    deleteOldAttempts,
    deleteOldFailures,
    deleteProofsOfEndedSessions,
  ],
  abuseLimits: LIMITS,
});
