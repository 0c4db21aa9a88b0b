import type { Config } from "#kit";
import { isAllowedTarget, type OutgoingRules } from "../../platform/http/outgoing-rules.ts";

const MAX_LENGTH = 2_048;

/**
 * Returns the host of an endpoint's URL, for display. Path and query are omitted because they may contain secrets.
 */
export const hostOfAddress = (url: string): string => URL.parse(url)?.host ?? "";

type Rules = Pick<
  Config,
  "webhookPorts" | "webhookAllowedNetworks" | "webhookRequiresTls" | "appUrl" | "apiUrl"
>;

/** Returns where webhook deliveries may go. */
export const webhookRules = (config: Rules): OutgoingRules => ({
  ports: config.webhookPorts,
  networks: config.webhookAllowedNetworks,
  requiresTls: config.webhookRequiresTls,
  ownUrls: [config.appUrl, config.apiUrl],
});

/**
 * Whether an organization may register this URL for a webhook endpoint. Does not resolve the host name: its IP
 * addresses are checked at each attempt.
 */
export function isAllowedUrl(text: string, config: Rules): boolean {
  const url = text.length > MAX_LENGTH || /[\s#]/.test(text) ? null : URL.parse(text);
  return url !== null && isAllowedTarget(url, webhookRules(config));
}
