import { theProduct } from "./current.ts";
import { fill, fillText } from "./fill.ts";
import type { Product, Text } from "./schema.ts";

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
