import ipaddr from "ipaddr.js";

/**
 * Normalizes an IP address for logs and limits; returns null if it is invalid. Removes the port that some proxies
 * add, and converts an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) to IPv4.
 */
export function parseAddress(text: string): string | null {
  const address = text.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  const withoutZone = address.replace(/%.*$/, "");
  return ipaddr.IPv6.isValid(withoutZone) ? ipaddr.process(withoutZone).toString() : null;
}

/** Returns a value for an `inet` column or comparison; null if it is not an IP address. */
export const inetOf = (address: string | null): string | null =>
  address !== null && ipaddr.isValid(address) ? address : null;

/** Returns the network of an IP address: its /24 or, for IPv6, its /48. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4"
    ? `${parsed.toByteArray().slice(0, 3).join(".")}.0/24`
    : `${(parsed as ipaddr.IPv6).parts
        .slice(0, 3)
        .map((part) => part.toString(16))
        .join(":")}::/48`;
}

/**
 * Returns the key of limits per IP address: the address or, for IPv6, its /64 prefix, because a customer usually
 * has at least a /64.
 */
export function throttleKey(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parts = (ipaddr.parse(address) as ipaddr.IPv6).parts;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
