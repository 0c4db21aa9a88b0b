import ipaddr from "ipaddr.js";
import { z } from "zod";
import {
  commaSeparated,
  configSection,
  integer,
  isListOf,
  missingVariables,
  rejectUnchangedPreviousKey,
  secret,
  warnOfPreviousKey,
} from "../../platform/environment.ts";
import { isOperatorNetwork, type Network, parseNetworks } from "../../platform/http/public-address.ts";

export type DnsServer = { address: string; port: number };

export type SignOnConfig = {
  /** Whether organizations can prove domains, sign people in by their own providers, and be joined by domain. */
  sso: boolean;
  /** The key that encrypts the secrets of connections; null only if `sso` is off. */
  connectionKey: string | null;
  /** The previous key of connections. It is only used to decrypt. */
  connectionKeyPrevious: string | null;
  /** The name of the record that proves a domain is `_<label>`, and its value begins with `<label>=`. */
  domainDnsLabel: string;
  /** The DNS servers that are asked; empty: those of the system. */
  dnsServers: DnsServer[];
  /** For how many hours a sign-in by a connection counts, if the organization says nothing. */
  ssoProofHours: number;
  /** Networks of the operator in which identity providers are allowed although their addresses are not public. */
  ssoAllowedNetworks: Network[];
};

const DNS_PORT = 53;
const MAX_PORT = 65_535;
const MAX_PROOF_HOURS = 720;
const OTHER_KEYS = ["JOBS_ENCRYPTION_KEY", "TWO_FACTOR_ENCRYPTION_KEY", "JWT_SECRET"];

/** Parses an IP address with an optional port: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`. */
function parseServer(text: string): DnsServer | null {
  const [, inBrackets, beforePort, digits] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = inBrackets ?? beforePort ?? text;
  const port = digits === undefined ? DNS_PORT : Number(digits);
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isAddress && port >= 1 && port <= MAX_PORT ? { address, port } : null;
}

/** Whether the routes of domains, connections and joining exist: the `existsIf` of each of them. */
export const ssoIsOn = ({ sso }: Pick<SignOnConfig, "sso">): boolean => sso;

/** The configuration of domains, single sign-on and joining. */
export const signOnConfig = configSection({
  variables: {
    SSO: z.enum(["on", "off"]).default("off"),
    CONNECTION_ENCRYPTION_KEY: secret(32).optional(),
    CONNECTION_ENCRYPTION_KEY_PREVIOUS: secret(32).optional(),
    DOMAIN_DNS_LABEL: z
      .string()
      .regex(/^[a-z0-9-]{1,30}$/, "must be 1 to 30 lower-case letters, digits and hyphens")
      .default("mos-verify"),
    DNS_SERVERS: z
      .string()
      .refine(
        (text) => isListOf(text, (part) => parseServer(part) !== null),
        "must be a comma-separated list of IP addresses, with a port if it is not 53",
      )
      .optional(),
    SSO_PROOF_HOURS: integer(1, MAX_PROOF_HOURS).default(24),
    SSO_ALLOWED_NETWORKS: z
      .string()
      .refine(
        (text) => isListOf(text, isOperatorNetwork),
        "must be a comma-separated list of CIDR ranges, without /0 and without link-local addresses",
      )
      .optional(),
  },
  secrets: ["CONNECTION_ENCRYPTION_KEY", "CONNECTION_ENCRYPTION_KEY_PREVIOUS"],
  check: (raw) => [
    ...(raw.SSO === "on" ? missingVariables(raw, ["CONNECTION_ENCRYPTION_KEY"], "with SSO=on") : []),
    ...OTHER_KEYS.filter((key) => raw[key] && raw[key] === raw.CONNECTION_ENCRYPTION_KEY).map(
      (key) => `CONNECTION_ENCRYPTION_KEY must differ from ${key}`,
    ),
    ...rejectUnchangedPreviousKey(raw, "CONNECTION_ENCRYPTION_KEY"),
  ],
  warn: (raw) => warnOfPreviousKey(raw, "CONNECTION_ENCRYPTION_KEY"),
  read: (env): SignOnConfig => ({
    sso: env.SSO === "on",
    connectionKey: env.CONNECTION_ENCRYPTION_KEY ?? null,
    connectionKeyPrevious: env.CONNECTION_ENCRYPTION_KEY_PREVIOUS ?? null,
    domainDnsLabel: env.DOMAIN_DNS_LABEL,
    dnsServers: commaSeparated(env.DNS_SERVERS ?? "").flatMap((text) => parseServer(text) ?? []),
    ssoProofHours: env.SSO_PROOF_HOURS,
    ssoAllowedNetworks: parseNetworks(env.SSO_ALLOWED_NETWORKS ?? ""),
  }),
});
