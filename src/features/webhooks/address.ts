import { isIP } from "node:net";
import type { Config } from "#kit";
import { isInNetworks, isPublicAddress } from "../../platform/http/public-address.ts";

const MAX_LENGTH = 2_048;
/** Domains that are never public (RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal). */
const PRIVATE_NAMES = ["localhost", "local", "internal", "home.arpa"];

/** Returns the host name or IP address in a URL, without brackets and without a trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/**
 * Returns the host of an endpoint's URL, for display. Path and query are omitted because they may contain secrets.
 */
export const hostOfAddress = (url: string): string => URL.parse(url)?.host ?? "";

type Rules = Pick<
  Config,
  "webhookPorts" | "webhookAllowedNetworks" | "webhookRequiresTls" | "appUrl" | "apiUrl"
>;

/**
 * Whether an organization may register this URL for a webhook endpoint. Does not resolve the host name: its IP
 * addresses are checked at each attempt.
 */
export function isAllowedUrl(text: string, config: Rules): boolean {
  const url = text.length > MAX_LENGTH || /[\s#]/.test(text) ? null : URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  const { webhookAllowedNetworks: allowed } = config;
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  if (allowed.length > 0)
    return isLiteral ? isInNetworks(host, allowed) || isPublicUrl(url, config) : host !== "";
  return isPublicUrl(url, config);
}

function isPublicUrl(url: URL, config: Rules): boolean {
  const host = hostOf(url);
  const isPrivate = PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
  const own = [config.appUrl, config.apiUrl].map((address) => hostOf(new URL(address)));
  return (
    hasAllowedScheme(url, config) &&
    hasAllowedPort(url, config) &&
    isIP(host) === 0 &&
    /^[^.]+(\.[^.]+)+$/.test(host) &&
    !isPrivate &&
    !own.includes(host)
  );
}

const hasAllowedScheme = (url: URL, { webhookRequiresTls }: Rules) =>
  url.protocol === "https:" || !webhookRequiresTls;

const hasAllowedPort = (url: URL, { webhookPorts }: Rules) => {
  if (url.port === "") return url.protocol === "http:" || webhookPorts.includes(443);
  return webhookPorts.includes(Number(url.port));
};

/**
 * Returns the resolved IP addresses if a delivery attempt may connect to them; otherwise null. Every address must
 * be public or in a network that the operator allowed. For public addresses, port and scheme are restricted too.
 */
export function allowedAddresses(url: URL, addresses: string[], config: Rules): string[] | null {
  const { webhookAllowedNetworks: allowed } = config;
  const areAllowed = addresses.every(
    (address) =>
      isInNetworks(address, allowed) ||
      (isPublicAddress(address) && hasAllowedScheme(url, config) && hasAllowedPort(url, config)),
  );
  return areAllowed && addresses.length > 0 ? addresses : null;
}
