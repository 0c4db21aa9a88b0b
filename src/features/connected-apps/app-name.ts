import { parse } from "tldts";

const MAX_CLIENT_ID = 2_048;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text has the form of the client id of a registered app. An app sends the id as it was shown. */
export const isRegisteredId = (text: string): boolean => UUID.test(text);

/**
 * Whether a text is a client id that may be the address of an app's document: https, normalized, with a path, and without
 * anything that is no part of an address of a document (draft-ietf-oauth-client-id-metadata-document-02, 3). Whether its
 * host may be connected to is decided when it is read.
 */
export function isDocumentAddress(text: string, { http = false } = {}): boolean {
  if (text.length > MAX_CLIENT_ID || !/^[!-~]+$/.test(text)) return false;
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === "https:" || (http && url.protocol === "http:")) &&
    url.href === text &&
    url.pathname !== "/" &&
    !url.hostname.endsWith(".") &&
    !/[?#]/.test(text) &&
    url.username === "" &&
    url.password === "" &&
    !/\/%2e(?:%2e|\.)?(?:\/|$)|\/\.%2e(?:\/|$)/i.test(url.pathname)
  );
}

/** Whether a text is a host under which one party publishes: no address, no public suffix (private ones too), no port. */
export function isAppHost(text: string): boolean {
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(text) || URL.parse(`https://${text}/`)?.hostname !== text)
    return false;
  const { domain, isIp } = parse(text, { allowPrivateDomains: true });
  return domain !== null && isIp !== true;
}

/** Whether a text names apps: all of a host, or one by its client id (rules 46). */
export const isAppName = (text: string): boolean =>
  isAppHost(text) || isDocumentAddress(text, { http: true });
