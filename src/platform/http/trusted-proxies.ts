import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import proxyAddr from "proxy-addr";
import { parseAddress } from "./client-address.ts";

const MAX_HOPS = 10;

/** Whether the value of `TRUST_PROXY` is a hop count or proxies; ranges of all addresses are rejected (rules 24.6). */
export function isTrustedProxies(value: string): boolean {
  if (/^\d+$/.test(value)) return Number(value) >= 1 && Number(value) <= MAX_HOPS;
  return value.split(",").every((part) => isProxyRange(part.trim()));
}

function isProxyRange(range: string): boolean {
  const [address = "", bits, ...more] = range.split("/");
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (more.length > 0 || !(isIPv4 || ipaddr.IPv6.isValid(address))) return false;
  if (bits === undefined) return true;
  // An IPv4 address is mapped to IPv6 below a 96-bit prefix, so an IPv6 range of /96 or shorter also contains all
  // IPv4 addresses.
  const isMapped = !isIPv4 && ipaddr.IPv6.parse(address).isIPv4MappedAddress();
  const [min, max] = isIPv4 ? [1, 32] : isMapped ? [97, 128] : [1, 128];
  return /^\d{1,3}$/.test(bits) && Number(bits) >= min && Number(bits) <= max;
}

/** Determines the client's IP address from the peer's address and `X-Forwarded-For`. */
export type ClientAddress = (socketAddress: string, headers: Headers) => string;

/**
 * Parses the value of `TRUST_PROXY`. Null trusts only the peer's address. With a hop count n, the last n addresses
 * are those of trusted proxies. With ranges, every address from the right that is in a range is that of a trusted
 * proxy.
 */
export function clientAddressFrom(trustProxy: string | null): ClientAddress {
  // Parsed addresses are cached, because parsing an IPv6 address costs as much as the rest of a small request.
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
    // Each proxy appends the address of its peer, so the list is read from the right.
    const path = forwarded.split(",");
    for (let hop = 0; hop < path.length && isTrusted(client, hop); hop += 1) {
      const next = parseAddress(path[path.length - 1 - hop]?.trim() ?? "");
      // A trusted proxy sent a value that is not an IP address.
      if (next === null) break;
      client = next;
    }
    return client;
  };
}
