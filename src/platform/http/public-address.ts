import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { commaSeparated } from "../environment.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

/**
 * Whether an IP address is global unicast: reachable on the internet, and not private, shared, loopback,
 * link-local, multicast or reserved. IPv4-mapped, NAT64, 6to4 and Teredo addresses are judged by the IPv4 addresses
 * that they embed, because a gateway connects to those (SSRF). ISATAP addresses are never public.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return isPublicIPv4(address);
  const bytes = address.toByteArray();
  if (isIsatap(bytes)) return false;
  const embedded = embeddedAddresses(bytes);
  if (embedded !== null) return embedded.every(isPublicIPv4);
  return address.range() === "unicast" && isAllocated(bytes);
}

/** The host services of Azure's virtual machines, at an address of the public range. */
const AZURE_HOST = "168.63.129.16";

const isPublicIPv4 = (address: Address) => address.range() === "unicast" && address.toString() !== AZURE_HOST;

/** Whether an IPv6 address has the interface identifier of a tunnel inside of one site (ISATAP, RFC 5214). */
const isIsatap = (bytes: number[]) =>
  [0, 2].includes(bytes[8] ?? 0) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

/** Returns the IPv4 addresses that an IPv6 address embeds, or null if it embeds none. */
function embeddedAddresses(bytes: number[]): ipaddr.IPv4[] | null {
  const ipv4 = (at: number, mask = 0) => new ipaddr.IPv4(bytes.slice(at, at + 4).map((byte) => byte ^ mask));
  const startsWith = (...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte);
  // 64:ff9b::/96, RFC 6052. The prefix for local use, 64:ff9b:1::/48, is not public.
  if (startsWith(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)) return [ipv4(12)];
  // 2002::/16, RFC 3056
  if (startsWith(0x20, 0x02)) return [ipv4(2)];
  // 2001::/32, RFC 4380: the server, and the client with inverted bits
  if (startsWith(0x20, 0x01, 0, 0)) return [ipv4(4), ipv4(12, 0xff)];
  return null;
}

/**
 * Whether an IPv6 address is in 2000::/3, the space of global unicast, and not in one of its parts for other
 * purposes.
 */
function isAllocated([first = 0, second = 0, third = 0]: number[]): boolean {
  if (first >> 5 !== 1) return false;
  // 2001::/23 is for protocols (RFC 2928), 3fff::/20 for documentation (RFC 9637).
  const isForProtocols = first === 0x20 && second === 0x01 && third < 2;
  const isForDocumentation = first === 0x3f && second === 0xff && third < 0x10;
  return !isForProtocols && !isForDocumentation;
}

/** Parses a CIDR range of IP addresses; returns null if it is invalid. */
export function parseNetwork(text: string): Network | null {
  const cidr = text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(cidr)) return null;
  const [address, bits] = ipaddr.parseCIDR(cidr);
  if (address.kind() === "ipv6" && (address as ipaddr.IPv6).isIPv4MappedAddress())
    return bits >= 96 ? [(address as ipaddr.IPv6).toIPv4Address(), bits - 96] : [address, bits];
  return [address, bits];
}

/** Parses a comma-separated list of CIDR ranges, all of them valid. */
export const parseNetworks = (list: string): Network[] =>
  commaSeparated(list).flatMap((text) => {
    const network = parseNetwork(text);
    return network === null ? [] : [network];
  });

/** Whether a text is a CIDR range that an operator may exempt: not every address, and no link-local ones. */
export function isOperatorNetwork(text: string): boolean {
  const network = parseNetwork(text);
  return network !== null && network[1] > 0 && !touchesLinkLocal(network);
}

const LINK_LOCAL: Network[] = [
  [ipaddr.parse("169.254.0.0"), 16],
  [ipaddr.parse("fe80::"), 10],
  [ipaddr.parse("::ffff:169.254.0.0"), 112],
];

/**
 * Whether a range contains link-local addresses, such as those of cloud metadata services, or lies within the
 * link-local range.
 */
export const touchesLinkLocal = (network: Network): boolean =>
  LINK_LOCAL.some((local) => overlaps(network, local));

function overlaps([one, oneBits]: Network, [other, otherBits]: Network): boolean {
  if (one.kind() !== other.kind()) return false;
  const bits = Math.min(oneBits, otherBits);
  return one.match(other as never, bits);
}

/** Whether an IP address is in one of the ranges. An IPv4-mapped IPv6 address counts as IPv4. */
export function isInNetworks(text: string, networks: Network[]): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  return networks.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network as never, bits),
  );
}
