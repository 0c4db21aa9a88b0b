import { isPublicName } from "../../../platform/http/outgoing-rules.ts";

const MAX_LENGTH = 2_048;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/;

/**
 * Whether an app may get its code at this address: https with a dotted public name, or http on the person's own computer. The
 * host must be written as it is resolved, so that the compared and shown host is the one to which the browser goes.
 */
export function isRedirect(text: string): boolean {
  if (text.length > MAX_LENGTH || !/^[!-~]+$/.test(text) || /[#\\]/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null) return false;
  return isLoopback(text) || (text.startsWith(`https://${url.host}`) && hasPublicName(url, text));
}

const hasPublicName = (url: URL, text: string) =>
  isPublicName(url.hostname) && /^(?:[/?]|$)/.test(text.slice(`https://${url.host}`.length));

/** Whether a redirect stays on the person's own computer. */
export const isLoopback = (text: string): boolean => LOOPBACK.test(text);

/** Whether a redirect that was sent is one of those declared: as text, but for the port on the person's own computer (RFC 8252, 7.3). */
export const matchesRedirect = (declared: string[], sent: string): boolean =>
  isRedirect(sent) && declared.some((one) => withoutPort(one) === withoutPort(sent));

/** A redirect, without the port and with its path if it is on the person's own computer. */
const withoutPort = (text: string) =>
  text.replace(LOOPBACK, "http://$1").replace(/^(http:\/\/[^/?]+)(?=\?|$)/, "$1/");

/** Returns the redirect of an app with parameters appended to its query, which stays as the app wrote it. Leaves null ones out. */
export function redirectTo(redirectUri: string, parameters: Record<string, string | null>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) added.append(name, value);
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added}`;
}

export const NEEDS_HTTPS = "must be an https address, because the app has a secret";

/** Returns the indexes of the redirects that a confidential client cannot have: those to a person's own computer. */
export const plainRedirects = (redirects: unknown[]): number[] =>
  redirects.flatMap((one, index) => (typeof one === "string" && one.startsWith("http:") ? [index] : []));
