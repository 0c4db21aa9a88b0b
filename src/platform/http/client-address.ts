import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import proxyAddr from "proxy-addr";

const MAX_HOPS = 10;

/** Whether the value of `TRUST_PROXY` names a hop count or proxies; ranges of everybody are refused (rules 24.6). */
export function isTrustedProxies(value: string): boolean {
  if (/^\d+$/.test(value)) return Number(value) >= 1 && Number(value) <= MAX_HOPS;
  return value.split(",").every((part) => isProxyRange(part.trim()));
}

function isProxyRange(range: string): boolean {
  const [address = "", bits, ...more] = range.split("/");
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (more.length > 0 || !(isIPv4 || ipaddr.IPv6.isValid(address))) return false;
  if (bits === undefined) return true;
  // The addresses of IPv4 within IPv6 begin after 96 bits, so that many bits mean everybody, too.
  const isMapped = !isIPv4 && ipaddr.IPv6.parse(address).isIPv4MappedAddress();
  const [min, max] = isIPv4 ? [1, 32] : isMapped ? [97, 128] : [1, 128];
  return /^\d{1,3}$/.test(bits) && Number(bits) >= min && Number(bits) <= max;
}

/** Finds the client's address from the socket's address and `X-Forwarded-For`. */
export type ClientAddress = (socketAddress: string, headers: Headers) => string;

/**
 * Takes the value of `TRUST_PROXY`; null believes the socket alone. With a hop count the last so many
 * addresses are our proxies; with ranges, every address from the right that lies in one.
 */
export function clientAddressFrom(trustProxy: string | null): ClientAddress {
  // Reading an IPv6 address costs as much as the rest of a small request, and clients and proxies come again.
  const known = new LRUCache<string, string>({ max: 10_000 });
  const fromSocket = (socketAddress: string) => {
    if (!socketAddress.includes(":")) return socketAddress;
    const address = known.get(socketAddress) ?? parseAddress(socketAddress) ?? socketAddress;
    known.set(socketAddress, address);
    return address;
  };
  if (trustProxy === null) return fromSocket;
  const hops = /^\d+$/.test(trustProxy) ? Number(trustProxy) : null;
  const isTrusted =
    hops === null
      ? proxyAddr.compile(trustProxy.split(",").map((part) => part.trim()))
      : (_address: string, hop: number) => hop < hops;

  return (socketAddress, headers) => {
    let client = fromSocket(socketAddress);
    const forwarded = headers.get("x-forwarded-for");
    if (forwarded === null) return client;
    // Each proxy appends the address that it was called from, so the walk goes from the right.
    const path = forwarded.split(",");
    for (let hop = 0; hop < path.length && isTrusted(client, hop); hop += 1) {
      const next = parseAddress(path[path.length - 1 - hop]?.trim() ?? "");
      // A trusted proxy passed something on that is no address.
      if (next === null) break;
      client = next;
    }
    return client;
  };
}

/**
 * An address in the one form that is logged and counted, or null. Some proxies add a port, and an IPv4 address
 * that arrives mapped into IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
 */
function parseAddress(text: string): string | null {
  const address = text.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  const withoutZone = address.replace(/%.*$/, "");
  return ipaddr.IPv6.isValid(withoutZone) ? ipaddr.process(withoutZone).toString() : null;
}

/** What a per-IP limit counts by: the address, for IPv6 its /64, because one customer holds at least that much. */
export function throttleKey(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parts = (ipaddr.parse(address) as ipaddr.IPv6).parts;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
