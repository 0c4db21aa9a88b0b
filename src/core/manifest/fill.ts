import { withoutControl } from "../../platform/text.ts";
import { theProduct } from "./current.ts";
import type { Product, Text } from "./schema.ts";

const WORD = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;

/** Returns the words that a text has as placeholders. */
export const wordsOf = (...texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(WORD)].map(([, word = ""]) => word))),
];

/**
 * Fills the placeholders of a text, which stays one line: values lose line breaks, control and bidirectional characters. A word
 * without a value stays as it is.
 * @example fill("{actor} deleted {title}", { actor: "Ada", title: "Roof" }) // "Ada deleted Roof"
 */
export const fill = (
  text: string,
  values: Readonly<Record<string, unknown>>,
  encode: (value: string) => string = withoutControl,
) =>
  text.replaceAll(WORD, (placeholder, word: string) =>
    Object.hasOwn(values, word) ? encode(String(values[word])) : placeholder,
  );

/** Fills a text in each language. */
const fillText = (
  { en, el }: Text,
  values: Readonly<Record<string, unknown>>,
  encode?: (value: string) => string,
): Text => ({
  en: fill(en, values, encode),
  el: fill(el, values, encode),
});

/**
 * Returns text and link of a notification of the product: those of the manifest, filled, or the name of a removed type.
 * @param encode how values stand in the text; by default without control characters
 */
export function shownOfProduct(
  type: string,
  data: Readonly<Record<string, unknown>>,
  encode?: (value: string) => string,
): { text: Text; link: string | null } {
  const product = theProduct();
  const entry =
    product && Object.hasOwn(product.notifications, type) ? product.notifications[type] : undefined;
  if (product === null || entry === undefined) return { text: { en: type, el: type }, link: null };
  return { text: fillText(entry.text, data, encode), link: linkOf(product, entry.link, data) };
}

/** Returns a link below the product's URL, with values percent-encoded; null if a value led out of it. */
export function linkOf(
  { url }: Product,
  link: string,
  data: Readonly<Record<string, unknown>>,
): string | null {
  const filled = `${url}${fill(link, data, encodeURIComponent)}`;
  return URL.canParse(filled) && `${new URL(filled).href}/`.startsWith(`${url}/`) ? filled : null;
}
