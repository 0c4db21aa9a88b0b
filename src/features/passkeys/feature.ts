import { deleteExpiredWebauthnChallenges } from "#sql/people/passkeys";
import { feature } from "../../core/api/feature.ts";
import { audit } from "./audit.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { passkeyRoutes } from "./routes.ts";

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { passkey: "nobody" } as const;

declare module "../../core/features.ts" {
  interface Features {
    passkeys: {
      audit: typeof audit;
      targets: typeof targets;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const passkeys = feature({
  audit,
  targets,
  notifications,
  mails,
  routes: [passkeyRoutes],
  retention: [deleteExpiredWebauthnChallenges],
});
