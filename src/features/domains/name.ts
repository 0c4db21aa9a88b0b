import { getPublicSuffix } from "tldts";
import type { Config } from "#kit";
import { PUBLIC_MAIL_DOMAINS } from "./public-mail-domains.ts";

const MAX_DOMAIN = 253;
/** Longer input is never a domain, and converting it would take long. */
const MAX_INPUT = 1_000;
/** What would end the host of a URL, or is no part of a name. */
const NOT_IN_NAMES = /[\s\p{Cc}\p{Cf}@:/\\?#%[\]]/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that belong to nobody on the internet, with everything below them. */
const RESERVED = ["localhost", "local", "internal", "home.arpa"];
/** Names for tests and examples. */
const FOR_TESTS = ["test", "example", "invalid"];

const isOrBelow = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);

/** Returns a domain in A-labels and lower case (UTS 46); null if an organization cannot prove it (rules 39.2). */
export function normalizeDomain(input: string, config: Config): string | null {
  if (input.length > MAX_INPUT || NOT_IN_NAMES.test(input)) return null;
  const url = `http://${input}`;
  if (!URL.canParse(url)) return null;
  const domain = new URL(url).hostname;
  const labels = domain.split(".");
  const last = labels.at(-1) ?? "";
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(last);
  if (!isName || domain.length > MAX_DOMAIN) return null;
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) return null;
  const refused = [...RESERVED, ...(config.production ? FOR_TESTS : [])];
  if (refused.some((parent) => isOrBelow(domain, parent))) return null;
  if (labels.some((_, index) => PUBLIC_MAIL_DOMAINS.has(labels.slice(index).join(".")))) return null;
  const own = [config.appUrl, config.apiUrl].map((address) => new URL(address).hostname);
  return own.includes(domain) ? null : domain;
}
