import { withAsciiDomain } from "./email-domain.ts";

/** A domain of at least one label, in lower case, with its A-labels. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const MAX_LENGTH = 253;

/** Domains by name: `exact` ones stand for themselves alone, `below` ones for every name below them and not for themselves. */
export type Domains = { readonly exact: ReadonlySet<string>; readonly below: ReadonlySet<string> };

/** Returns a domain in lower case with its A-labels (`xn--…`, UTS 46), or null if it is none. */
export function asciiDomain(text: string): string | null {
  const domain = withAsciiDomain(`a@${text}`).slice(2).toLowerCase();
  return domain.length <= MAX_LENGTH && DOMAIN.test(domain) ? domain : null;
}

/** Returns the domain of an email address that is in lower case. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1);

/** Whether a domain is one of these. */
export const isOneOf = ({ exact, below }: Domains, domain: string): boolean =>
  exact.has(domain) || parentsOf(domain).some((parent) => below.has(parent));

/** Whether a domain is one of these names, or below one of them. */
export const isOneOrBelow = (names: ReadonlySet<string>, domain: string): boolean =>
  names.has(domain) || parentsOf(domain).some((parent) => names.has(parent));

function parentsOf(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
