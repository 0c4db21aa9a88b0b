import { z } from "zod";
import { configSection, integer, url } from "../environment.ts";

/** How to connect to PostgreSQL. */
export type DatabaseConfig = {
  url: string;
  /** The URL of a direct connection for LISTEN, if `url` points to a pooler. */
  listenUrl: string;
  /** The URL of a streaming replica that serves lists and exports; null if none is configured. */
  replicaUrl: string | null;
  poolSize: number;
  /**
   * The role to which `bun run migrate` grants the privileges that a running service needs; null to grant nothing.
   */
  apiRole: string | null;
};

const postgresUrl = () => url(["postgres:", "postgresql:"]);

/** The configuration of the database. */
export const databaseConfig = configSection({
  variables: {
    DATABASE_URL: postgresUrl(),
    DATABASE_LISTEN_URL: postgresUrl().optional(),
    DATABASE_REPLICA_URL: postgresUrl().optional(),
    DATABASE_POOL_SIZE: integer(1, 1000).default(10),
    DATABASE_API_ROLE: z.string().max(63, "must have at most 63 characters").optional(),
  },
  secrets: ["DATABASE_URL", "DATABASE_LISTEN_URL", "DATABASE_REPLICA_URL"],
  read: (env): DatabaseConfig => ({
    url: env.DATABASE_URL,
    listenUrl: env.DATABASE_LISTEN_URL ?? env.DATABASE_URL,
    replicaUrl: env.DATABASE_REPLICA_URL ?? null,
    poolSize: env.DATABASE_POOL_SIZE,
    apiRole: env.DATABASE_API_ROLE ?? null,
  }),
});
