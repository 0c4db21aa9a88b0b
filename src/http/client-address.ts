import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";

const MOST_HOPS = 10;

/** Whether the value of `TRUST_PROXY` names a hop count or proxies (specification 8.3); refuses ranges of everybody. */
export function isTrustedProxies(value: string): boolean {
  if (/^\d+$/.test(value)) return Number(value) >= 1 && Number(value) <= MOST_HOPS;
  return value.split(",").every((part) => isProxyRange(part.trim()));
}

function isProxyRange(range: string): boolean {
  const [address = "", bits, ...more] = range.split("/");
  if (
    more.length > 0 ||
    !ipaddr.isValid(address) ||
    (ipaddr.parse(address).kind() === "ipv4" && !ipaddr.IPv4.isValidFourPartDecimal(address))
  ) {
    return false;
  }
  if (bits === undefined) return true;
  const most = ipaddr.parse(address).kind() === "ipv4" ? 32 : 128;
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most;
}

/** Finds the client's address from the socket's address and `X-Forwarded-For`. */
export type ClientAddress = (socketAddress: string, headers: Headers) => string;

/**
 * Takes the value of `TRUST_PROXY`; null believes the socket alone. With a hop count the last so many
 * addresses are our proxies; with ranges, every address from the right that lies in one.
 */
export function clientAddressFrom(trustProxy: string | null): ClientAddress {
  if (trustProxy === null) return (socketAddress) => normalize(socketAddress);
  const hops = /^\d+$/.test(trustProxy) ? Number(trustProxy) : null;
  const trust =
    hops === null
      ? proxyAddr.compile(trustProxy.split(",").map((part) => part.trim()))
      : (_address: string, hop: number) => hop < hops;

  return (socketAddress, headers) => {
    const forwarded = headers.get("x-forwarded-for");
    if (forwarded === null) return normalize(socketAddress);
    const request = { socket: { remoteAddress: socketAddress }, headers: { "x-forwarded-for": forwarded } };
    try {
      const address = proxyAddr(request as never, trust);
      return ipaddr.isValid(address) ? normalize(address) : normalize(socketAddress);
    } catch {
      // A trusted proxy passed something on that is no address.
      return normalize(socketAddress);
    }
  };
}

/** An IPv4 address that arrives mapped into IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
function normalize(address: string): string {
  return address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
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
