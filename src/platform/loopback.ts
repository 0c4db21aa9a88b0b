import ipaddr from "ipaddr.js";

/**
 * Whether a host is this machine itself, so that a connection to it crosses no network. Host names other than
 * localhost are not resolved.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || (ipaddr.isValid(name) && ipaddr.process(name).range() === "loopback");
}
