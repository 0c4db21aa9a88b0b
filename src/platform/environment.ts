import ipaddr from "ipaddr.js";

/** The variables that are set; empty ones are left out. */
export type Given = Record<string, string | undefined>;

/** The parts of a comma-separated list. */
export function list(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Whether a variable is a list of at least one part, each of which is well-formed; one that is not set need not be. */
export const isListOf = (value: string | undefined, isWellFormed: (part: string) => boolean): boolean =>
  value === undefined || (list(value).length > 0 && list(value).every(isWellFormed));

/** Whether a value is an absolute URL of one of these protocols, such as `https:`. */
export function isUrl(value: string, protocols: string[]): boolean {
  const protocol = protocols.find((known) => value.toLowerCase().startsWith(`${known}//`));
  return protocol !== undefined && URL.canParse(value) && !/\s/.test(value);
}

/** Whether a host is this machine itself, so that what is sent to it leaves no wire. Other names are not looked up. */
export function isLoopback(host: string): boolean {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || (ipaddr.isValid(name) && ipaddr.process(name).range() === "loopback");
}
