import { feature } from "#kit";
import { deleteExpiredWebauthnChallenges } from "#sql/people/passkeys";
import { audit } from "./audit.ts";
import { passkeyConfig } from "./config.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { passkeyRoutes } from "./routes.ts";

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { passkey: "nobody" } as const;

declare module "#src/core/definitions/features" {
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
  config: passkeyConfig,
  tags: { passkeys: "Passkeys (WebAuthn): sign-in without a password, and a second factor." },
  audit,
  targets,
  notifications,
  mails,
  routes: [passkeyRoutes],
  retention: [deleteExpiredWebauthnChallenges],
});
