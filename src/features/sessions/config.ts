import { configSection, integer } from "#kit";

type SessionConfig = { refreshTokenDays: number; maxSessionsPerUser: number };

declare module "../../core/config.ts" {
  interface Config extends SessionConfig {}
}

/** The configuration of sessions. */
export const sessionConfig = configSection({
  variables: {
    REFRESH_TOKEN_TTL_DAYS: integer(1, 365).default(7),
    MAX_ACTIVE_SESSIONS_PER_USER: integer(1, 1000).default(10),
  },
  read: (env): SessionConfig => ({
    refreshTokenDays: env.REFRESH_TOKEN_TTL_DAYS,
    maxSessionsPerUser: env.MAX_ACTIVE_SESSIONS_PER_USER,
  }),
});
