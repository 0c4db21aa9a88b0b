import { z } from "zod";
import { commaSeparated, configSection, integer, isProduction } from "#kit";
import { isListOf, type RawEnvironment } from "#kit/inside";
import { APP_POLICIES, type AppRules } from "../../core/access/app-operator.ts";
import { isOperatorNetwork, type Network, parseNetworks } from "../../platform/http/public-address.ts";
import { isAppName, isRegisteredId } from "./app-name.ts";
import { LIMITS } from "./limits.ts";

export type ConnectedAppConfig = {
  /** Whether people may connect apps. */
  oauth: boolean;
  /** What apps may do by MCP, at `/mcp`; `off` also if apps cannot be connected. */
  mcp: "on" | "read-only" | "off";
  appRules: AppRules;
  /** The most days of a grant. */
  oauthGrantDays: number;
  /** Networks of the operator whose documents of client ids are read although their addresses are not public. */
  oauthDocumentNetworks: Network[];
  /** The `User-Agent` header of requests for these documents. */
  oauthUserAgent: string;
  /** The maximum number of requests per minute of one grant, on one instance. */
  oauthRateLimit: number;
  /** Further origins of pages that may call `/mcp`. */
  mcpOrigins: string[];
};

declare module "../../core/config.ts" {
  interface Config extends ConnectedAppConfig {}
}

const MAX_DAYS = 365;
const MAX_REQUESTS = 1_000_000;

const appNames = () =>
  z
    .string()
    .refine(
      (text) => isListOf(text, (name) => isAppName(name) || isRegisteredId(name)),
      "must be a comma-separated list of hosts and client ids",
    )
    .optional();

/** Whether a text is an origin: scheme, host and port alone. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.origin === text;
}

/** Whether the routes of connected apps exist: the `existsIf` of each of them. */
export const oauthIsOn = ({ oauth }: Pick<ConnectedAppConfig, "oauth">): boolean => oauth;

const pathProblems = (raw: RawEnvironment) => {
  const url = URL.parse(raw.API_URL ?? raw.APP_URL ?? "");
  return raw.OAUTH === "on" && url !== null && url.pathname !== "/"
    ? ["API_URL must have no path with OAUTH=on"]
    : [];
};

/** The configuration of connected apps. */
export const connectedAppConfig = configSection({
  variables: {
    OAUTH: z.enum(["on", "off"]).default("off"),
    MCP: z.enum(["on", "read-only", "off"]).default("on"),
    OAUTH_APPS: z.enum(APP_POLICIES).default("approved"),
    OAUTH_APPROVED_APPS: appNames(),
    OAUTH_BLOCKED_APPS: appNames(),
    OAUTH_GRANT_DAYS: integer(1, MAX_DAYS).default(90),
    OAUTH_DOCUMENT_NETWORKS: z
      .string()
      .refine(
        (text) => isListOf(text, isOperatorNetwork),
        "must be a comma-separated list of CIDR ranges, without /0 and without link-local addresses",
      )
      .optional(),
    OAUTH_RATE_LIMIT: integer(1, MAX_REQUESTS).default(LIMITS.appRequests.points),
    MCP_ORIGINS: z
      .string()
      .refine((text) => isListOf(text, isOrigin), "must be a comma-separated list of origins")
      .optional(),
  },
  check: (raw) => [
    ...pathProblems(raw),
    ...(isProduction(raw) && commaSeparated(raw.MCP_ORIGINS ?? "").some((text) => text.startsWith("http:"))
      ? ["MCP_ORIGINS must begin with https:// in production"]
      : []),
  ],
  read: (env, raw): ConnectedAppConfig => ({
    oauth: env.OAUTH === "on",
    mcp: env.OAUTH === "on" ? env.MCP : "off",
    appRules: {
      apps: env.OAUTH_APPS,
      approved: commaSeparated(env.OAUTH_APPROVED_APPS ?? ""),
      blocked: commaSeparated(env.OAUTH_BLOCKED_APPS ?? ""),
    },
    oauthGrantDays: env.OAUTH_GRANT_DAYS,
    oauthDocumentNetworks: parseNetworks(env.OAUTH_DOCUMENT_NETWORKS ?? ""),
    oauthUserAgent: `${raw.OTEL_SERVICE_NAME ?? "multi-organization-service"}-apps/1`,
    oauthRateLimit: env.OAUTH_RATE_LIMIT,
    mcpOrigins: commaSeparated(env.MCP_ORIGINS ?? ""),
  }),
});
