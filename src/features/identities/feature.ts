import { feature } from "#kit";
import { audit } from "./audit.ts";
import { oidcConfig } from "./config.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { identityRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    identities: { audit: typeof audit; notifications: typeof notifications; mails: typeof mails };
  }
}

export const identities = feature({
  config: oidcConfig,
  tags: { identities: "Signing in with Google or any OpenID provider." },
  audit,
  notifications,
  mails,
  routes: [identityRoutes],
});
