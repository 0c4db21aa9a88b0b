import { z } from "zod";
import { commaSeparated, configSection, integer, isListOf } from "../environment.ts";
import { isTrustedProxies } from "./trusted-proxies.ts";

export type HttpConfig = {
  host: string;
  port: number;
  corsOrigins: string[];
  /** The value of `TRUST_PROXY`; null trusts only the peer address. */
  trustProxy: string | null;
};

/** The configuration of the HTTP server. */
export const httpConfig = configSection({
  variables: {
    HOST: z.string().default("0.0.0.0"),
    PORT: integer(0, 65_535).default(3000),
    CORS_ORIGIN: z
      .string()
      .optional()
      .refine(
        (value) => isListOf(value, (origin) => URL.canParse(origin) && new URL(origin).origin === origin),
        "must be a comma-separated list of origins such as https://app.example.com",
      )
      .transform((value) => commaSeparated(value ?? "")),
    TRUST_PROXY: z
      .string()
      .refine(
        isTrustedProxies,
        "must be a hop count from 1 to 10, or a comma-separated list of proxy addresses and CIDR ranges (not /0)",
      )
      .optional(),
  },
  read: (env): HttpConfig => ({
    host: env.HOST,
    port: env.PORT,
    corsOrigins: env.CORS_ORIGIN,
    trustProxy: env.TRUST_PROXY ?? null,
  }),
});
