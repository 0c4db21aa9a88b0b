import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.process>;
const MAPPED_BITS = 96;

/**
 * Returns an IP address or range in its canonical form, such as `203.0.113.0/24`. Null if it is neither, or if it
 * contains every address. A range of IPv4-mapped IPv6 addresses becomes an IPv4 range.
 */
export function canonicalRange(text: string): string | null {
  const [address = "", bits, ...more] = text.split("/");
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (more.length > 0 || address.includes("%") || !(isIPv4 || ipaddr.IPv6.isValid(address))) return null;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null;
  const parsed = isIPv4 ? ipaddr.IPv4.parse(address) : ipaddr.IPv6.parse(address);
  const max = isIPv4 ? 32 : 128;
  const given = bits === undefined ? max : Number(bits);
  if (given < 1 || given > max) return null;
  if (!(parsed instanceof ipaddr.IPv6) || !parsed.isIPv4MappedAddress()) return networkOf(parsed, given);
  if (given <= MAPPED_BITS) return null;
  return networkOf(parsed.toIPv4Address(), given - MAPPED_BITS);
}

/** Sets the host bits of an address to zero. */
function networkOf(address: Address, bits: number): string {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(Math.max(bits - index * 8, 0), 8);
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return `${ipaddr.fromByteArray(bytes)}/${bits}`;
}
