/** What programs take for the address of a page. */
const ADDRESSES = [
  // A scheme.
  /\b[a-z][a-z0-9+.-]*:[/\\]/i,
  /\b(?:https?|mailto|tel|sms):/i,
  /[/\\]{2}/,
  /\bwww\d*[.。．｡]/i,
  // A dot between letters, and a path, a query or a port after it.
  /[^\s.][.。．｡](?:\d+|[^\s./\\?#:]{2,})\.?(?:[/\\?#]|:\d)/u,
  /\b(?:\d+\.){3}\d/,
];
const JOINTS = /:?[/\\]{2,}|:(?=\S)|(?<=\S)[.。．｡](?=\S)/gu;
const DOT_IN_WORD = /(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}]{2})/gu;
const WORD_JOINER = "\u2060";

/**
 * The name of an organization or a person as it may stand in a mail. Mail programs make links of what looks like an
 * address, in plain text and in HTML, so that whoever chooses a name would choose where a mail of this service leads.
 * What looks like the address of a page is written with brackets, `https[://]evil[.]test/x`: a host cannot hold them,
 * whereas it may hold characters that nobody sees, and some programs link across those. Where a mere dot stands in a
 * word, as in `Acme.io`, only a word joiner follows it: most programs then link nothing, and the name looks as it is.
 */
export const preventAutolinks = (name: string): string =>
  ADDRESSES.some((address) => address.test(name))
    ? name.replace(JOINTS, "[$&]")
    : name.replace(DOT_IN_WORD, `$&${WORD_JOINER}`);
