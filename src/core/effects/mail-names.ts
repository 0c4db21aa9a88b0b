/** Patterns in text that mail clients turn into links. */
const ADDRESSES = [
  // Matches a URL scheme.
  /\b[a-z][a-z0-9+.-]*:[/\\]/i,
  /\b(?:https?|mailto|tel|sms):/i,
  /[/\\]{2}/,
  /\bwww\d*[.。．｡]/i,
  // Matches a dot between letters, and a path, query or port after it.
  /[^\s.][.。．｡](?:\d+|[^\s./\\?#:]{2,})\.?(?:[/\\?#]|:\d)/u,
  /\b(?:\d+\.){3}\d/,
];
const JOINTS = /:?[/\\]{2,}|:(?=\S)|(?<=\S)[.。．｡](?=\S)/gu;
const DOT_IN_WORD = /(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}]{2})/gu;
const WORD_JOINER = "\u2060";

/**
 * Makes the name of an organization or a person safe for a mail. Mail clients turn text that looks like a URL into
 * a link, in plain text and in HTML. So a name could put an attacker's link into a mail of this service.
 * - Text that looks like a URL is written with brackets, `https[://]evil[.]test/x`. Brackets are invalid in a host;
 *   invisible characters would not do, because some clients create links across them.
 * - After a single dot in a word, as in `Acme.io`, only a word joiner is inserted: most clients then create no
 *   link, and the name looks unchanged.
 */
export const preventAutolinks = (name: string): string =>
  ADDRESSES.some((address) => address.test(name))
    ? name.replace(JOINTS, "[$&]")
    : name.replace(DOT_IN_WORD, `$&${WORD_JOINER}`);
