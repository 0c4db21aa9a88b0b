import { feature } from "#kit";
import { audit } from "./audit.ts";
import { usersConfig } from "./config.ts";
import { userJobs } from "./pseudonymise.ts";
import { userRoutes } from "./routes.ts";

declare module "#src/core/definitions/features" {
  interface Features {
    users: { audit: typeof audit };
  }
}

export const users = feature({
  config: usersConfig,
  tags: { users: "Accounts, for platform administrators." },
  audit,
  routes: [userRoutes],
  jobs: userJobs,
});
