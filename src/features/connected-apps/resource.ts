import type { Config } from "#kit";
import type { AppResource } from "../../core/access/access.ts";

/** Returns the resource of an address, without regard to the case of scheme and host and to one slash at the end; null if it is not served. */
export function resourceOf(
  address: string,
  { apiUrl, mcp }: Pick<Config, "apiUrl" | "mcp">,
): AppResource | null {
  const wanted = normalized(address);
  if (wanted === normalized(`${apiUrl}/mcp`)) return mcp === "off" ? null : "mcp";
  return wanted === normalized(`${apiUrl}/api`) ? "api" : null;
}

/** Scheme and host compare without case, the path with it (RFC 3986, 6.2.2.1). */
const normalized = (address: string): string =>
  address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, (origin) => origin.toLowerCase()).replace(/\/$/, "");
