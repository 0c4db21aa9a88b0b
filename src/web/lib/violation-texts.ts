import { violationTexts } from "../texts/violations.ts";

type Texts = typeof violationTexts.en | typeof violationTexts.el;

const KNOWN: [RegExp, (texts: Texts, value: string) => string][] = [
  [/ (?:is required|should not be empty)$/, (texts) => texts.required],
  // A choice that was not made. Nobody enters an id by hand.
  [/ must be a UUID$/, (texts) => texts.choose],
  [/ must be an email$/, (texts) => texts.email],
  [/ longer than or equal to (\d+) characters$/, (texts, value) => texts.atLeast(value)],
  [/ shorter than or equal to (\d+) characters$/, (texts, value) => texts.atMost(value)],
  [/ must not be a password from a data breach$/, (texts) => texts.breached],
  [/ must not be of this domain$/, (texts) => texts.blockedDomain],
  [/ must be a domain of your organization$/, (texts) => texts.ownDomain],
  [/ must not hold (\S+)$/, (texts, value) => texts.tooStrong(value)],
  [/ must be in the future$/, (texts) => texts.future],
  [/ must be within (\d+) days$/, (texts, value) => texts.within(value)],
  [/ must be a reachable OpenID provider$/, (texts) => texts.issuerUnreachable],
  [/ must name itself as its issuer$/, (texts) => texts.issuerOther],
  [/ must be the issuer of one organization$/, (texts) => texts.issuerOfMany],
  [/ must be an https URL without query, fragment, user and password$/, (texts) => texts.issuerForm],
  [/ must not be less than (-?\d+)$/, (texts, value) => texts.min(value)],
  [/ must not be greater than (-?\d+)$/, (texts, value) => texts.max(value)],
];

/**
 * Returns the text to show at a field with a violation. For a violation without a translation, English shows the
 * API's own text without the field name; other languages show a general sentence.
 */
export function violationText(texts: Texts, path: string, message: string): string {
  for (const [pattern, text] of KNOWN) {
    const match = pattern.exec(message);
    if (match !== null) return text(texts, match[1] ?? "");
  }
  if (texts !== violationTexts.en) return texts.invalid;
  const rest = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`;
}
