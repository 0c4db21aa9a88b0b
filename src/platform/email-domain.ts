/** The dots between labels (UTS 46, 4.1). */
const DOTS = /[.。．｡]/;
/** Letters, digits, hyphens, symbols such as emoji, and what some scripts need within words: joiners and middle dots. */
const LABEL = /^(?!-)(?:[\p{L}\p{M}\p{N}\p{So}\u00b7\u0375\u05f3\u05f4\u30fb-]|\u200c|\u200d)+(?<!-)$/u;
const ASCII = /^[\0-\x7f]*$/;
/** A label has at most 63 characters (RFC 1035). */
const A_LABEL = /^xn--.{1,59}$/;

/** Longer domains are never valid, and converting them would take long. */
const MAX_UNITS = 254;

/**
 * Returns an email address with its domain in ASCII: each label with other characters as an A-label (`xn--…`, UTS 46).
 * Returns the address unchanged if that is impossible. A label that would become plain ASCII, such as one with KELVIN SIGN or in
 * full width, is not converted: it would only look like another domain.
 */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  if (at < 0 || domain.length > MAX_UNITS || ASCII.test(domain)) return address;
  const labels = domain.split(DOTS);
  const url = `http://${domain}`;
  if (!labels.every((label) => LABEL.test(label)) || !URL.canParse(url)) return address;
  const { hostname } = new URL(url);
  const converted = hostname.split(".");
  const isFaithful =
    labels.length > 1 &&
    converted.length === labels.length &&
    labels.every((label, index) => ASCII.test(label) || A_LABEL.test(converted[index] ?? ""));
  return isFaithful ? address.slice(0, at + 1) + hostname : address;
}
