import { feature } from "#kit";
import { deleteLongExpiredTokens } from "#sql/sessions";
import { audit } from "./audit.ts";
import { sessionConfig } from "./config.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { sessionRoutes } from "./routes.ts";

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { session: "nobody" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    sessions: { audit: typeof audit; targets: typeof targets; mails: typeof mails };
  }
}

export const sessions = feature({
  config: sessionConfig,
  tags: { sessions: "Signing in, refreshing, signing out." },
  audit,
  targets,
  mails,
  routes: [sessionRoutes],
  // Refresh tokens that expired more than 30 days ago (rules 5.13).
  retention: [deleteLongExpiredTokens],
  abuseLimits: LIMITS,
});
