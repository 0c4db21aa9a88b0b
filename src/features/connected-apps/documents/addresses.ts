import { isIP } from "node:net";
import type { Config } from "#kit";
import type { FindAddresses } from "../../../platform/http/bounded-fetch.ts";
import {
  allowedAddresses,
  hostOf,
  isAllowedTarget,
  isLoopbackUrl,
  type OutgoingRules,
} from "../../../platform/http/outgoing-rules.ts";
import { isInNetworks } from "../../../platform/http/public-address.ts";
import { type ResolveAll, resolveAllWith } from "../../../platform/http/resolve-all.ts";
import { isDocumentAddress } from "../app-name.ts";

type Rules = Pick<
  Config,
  "production" | "webhookPorts" | "oauthDocumentNetworks" | "appUrl" | "apiUrl" | "dnsServers"
>;

/** Returns where documents may be fetched, apart from this machine. */
const rulesOf = (config: Rules): OutgoingRules => ({
  ports: config.webhookPorts,
  networks: config.oauthDocumentNetworks,
  requiresTls: true,
  ownUrls: [config.appUrl, config.apiUrl],
});

/** Whether a URL is on the developer's own machine. There is none in production. */
const isOnThisMachine = (url: URL, { production }: Rules): boolean => !production && isLoopbackUrl(url);

const isOfThisService = ({ host }: URL, { appUrl, apiUrl }: Rules): boolean =>
  [appUrl, apiUrl].some((own) => new URL(own).host === host);

/**
 * Returns the URL of a client id that is the address of a document, or null if nothing may be fetched there. Does not resolve
 * the host name: its addresses are checked when the document is fetched.
 */
export function documentUrl(clientId: string, config: Rules): URL | null {
  if (!isDocumentAddress(clientId, { http: true })) return null;
  const url = new URL(clientId);
  const isAllowed = isOnThisMachine(url, config) || isAllowedTarget(url, rulesOf(config));
  return isAllowed && !isOfThisService(url, config) ? url : null;
}

/**
 * Creates the function that finds the IP addresses of a document's host. Networks of the operator may have any name, port and
 * scheme; all else must be public by its name and by each of its addresses.
 */
export function documentAddresses(config: Rules, resolve: ResolveAll = resolverOf(config)): FindAddresses {
  const rules = rulesOf(config);
  return async (url) => {
    if (isOnThisMachine(url, config)) return [undefined];
    const host = hostOf(url);
    const found = isIP(host) === 0 ? await resolve(host) : [host];
    const allowed = allowedAddresses(url, found, rules) ?? [];
    const isPublicName = isAllowedTarget(url, { ...rules, networks: [] });
    const areAllowed = isPublicName || allowed.every((address) => isInNetworks(address, rules.networks));
    if (allowed.length === 0 || !areAllowed) throw new AddressNotAllowed();
    return allowed;
  };
}

/** The error for a host whose addresses are not all allowed. */
export class AddressNotAllowed extends Error {}

const resolverOf = ({ dnsServers, oauthDocumentNetworks }: Rules): ResolveAll =>
  resolveAllWith({
    servers: dnsServers.length === 0 ? null : dnsServers.map(withPort),
    hosts: oauthDocumentNetworks.length > 0,
  });

const withPort = ({ address, port }: Rules["dnsServers"][number]): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
