import { isIP } from "node:net";
import { isLoopback } from "../loopback.ts";
import { isInNetworks, isPublicAddress, type Network } from "./public-address.ts";

/** Domains that are never public (RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal). */
const PRIVATE_NAMES = ["localhost", "local", "internal", "home.arpa"];

/** Where requests may go whose URL an organization chose. */
export type OutgoingRules = {
  /** The ports that public addresses may use. */
  ports: number[];
  /** Networks of the operator that are allowed although their addresses are not public, with any port and scheme. */
  networks: Network[];
  requiresTls: boolean;
  /** The URLs of the service itself, whose hosts are refused. */
  ownUrls: string[];
};

/** Returns the host name or IP address in a URL, without brackets and without a trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** Whether a URL is on this machine itself. */
export const isLoopbackUrl = (url: URL): boolean => isLoopback(hostOf(url));

/**
 * Whether requests may go to this URL. Does not resolve the host name: its IP addresses are checked at each request, by
 * `allowedAddresses`.
 */
export function isAllowedTarget(url: URL, rules: OutgoingRules): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  const host = hostOf(url);
  if (rules.networks.length === 0) return isPublicUrl(url, rules);
  if (isIP(host) === 0) return host !== "";
  return isInNetworks(host, rules.networks) || isPublicUrl(url, rules);
}

/** Whether a host is a name of the public DNS by its form: no address, dotted, and not of a private domain. */
export function isPublicName(host: string): boolean {
  const isPrivate = PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
  return isIP(host) === 0 && /^[^.]+(\.[^.]+)+$/.test(host) && !isPrivate;
}

function isPublicUrl(url: URL, rules: OutgoingRules): boolean {
  const host = hostOf(url);
  const own = rules.ownUrls.map((address) => hostOf(new URL(address)));
  return (
    hasAllowedScheme(url, rules) && hasAllowedPort(url, rules) && isPublicName(host) && !own.includes(host)
  );
}

const hasAllowedScheme = (url: URL, { requiresTls }: OutgoingRules) =>
  url.protocol === "https:" || !requiresTls;

const hasAllowedPort = (url: URL, { ports }: OutgoingRules) => {
  if (url.port === "") return url.protocol === "http:" || ports.includes(443);
  return ports.includes(Number(url.port));
};

/**
 * Returns the resolved IP addresses if a request may connect to them; otherwise null. Every address must be public or in a
 * network that the operator allowed. For public addresses, port and scheme are restricted too.
 */
export function allowedAddresses(url: URL, addresses: string[], rules: OutgoingRules): string[] | null {
  const areAllowed = addresses.every(
    (address) =>
      isInNetworks(address, rules.networks) ||
      (isPublicAddress(address) && hasAllowedScheme(url, rules) && hasAllowedPort(url, rules)),
  );
  return areAllowed && addresses.length > 0 ? addresses : null;
}
