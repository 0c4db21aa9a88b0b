import { z } from "zod";
import { commaSeparated, configSection, integer, isProduction } from "#kit";
import { isListOf } from "#kit/inside";
import { isOperatorNetwork, type Network, parseNetworks } from "../../platform/http/public-address.ts";
import { LIMITS } from "./limits.ts";

type WebhookConfig = {
  /** The ports that webhook endpoints with public addresses may use. */
  webhookPorts: number[];
  /** Networks of the operator in which webhook endpoints are allowed although their addresses are not public. */
  webhookAllowedNetworks: Network[];
  /** The maximum number of concurrent requests to webhook endpoints, per instance. */
  webhookConcurrency: number;
  /** Whether webhook endpoints must use TLS. */
  webhookRequiresTls: boolean;
  /** The `User-Agent` header of requests to webhook endpoints. */
  webhookUserAgent: string;
};

declare module "../../core/config.ts" {
  interface Config extends WebhookConfig {}
}

const MAX_PORT = 65_535;
const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PORT;

/** The configuration of webhook endpoints. */
export const webhookConfig = configSection({
  variables: {
    WEBHOOK_PORTS: z
      .string()
      .refine((text) => isListOf(text, isPort), "must be a comma-separated list of ports")
      .default("443,8443"),
    WEBHOOK_ALLOWED_NETWORKS: z
      .string()
      .refine(
        (text) => isListOf(text, isOperatorNetwork),
        "must be a comma-separated list of CIDR ranges, without /0 and without link-local addresses",
      )
      .optional(),
    WEBHOOK_CONCURRENCY: integer(1, 1_000).default(LIMITS.requests.levels.instance.max),
  },
  read: (env, raw): WebhookConfig => ({
    webhookPorts: commaSeparated(env.WEBHOOK_PORTS).map(Number),
    webhookAllowedNetworks: parseNetworks(env.WEBHOOK_ALLOWED_NETWORKS ?? ""),
    webhookConcurrency: env.WEBHOOK_CONCURRENCY,
    webhookRequiresTls: isProduction(raw),
    webhookUserAgent: `${raw.OTEL_SERVICE_NAME ?? "multi-organization-service"}-webhooks/1`,
  }),
});
