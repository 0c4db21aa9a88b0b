import { isIP } from "node:net";
import type { Config } from "../../core/config.ts";
import { isInNetworks, isPublicAddress } from "../../platform/http/public-address.ts";

const MAX_LENGTH = 2_048;
/** Names that are never public (RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal). */
const PRIVATE_NAMES = ["localhost", "local", "internal", "home.arpa"];

/** The name or IP address of a URL, without brackets and without the dot at its end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** Returns the host of a stored address, for people: never its path or query, which may hold secrets. */
export const hostOfAddress = (url: string): string => URL.parse(url)?.host ?? "";

type Rules = Pick<
  Config,
  "webhookPorts" | "webhookAllowedNetworks" | "webhookRequiresTls" | "appUrl" | "apiUrl"
>;

/** Whether an organization may register this address. Nothing is resolved: each attempt checks the addresses of the name. */
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
 * Returns the addresses of a name to which an attempt may connect, or null if it must not: every address must be public,
 * or in a network of the operator. To a public one, port and scheme are restricted too.
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
