import { theProduct } from "./current.ts";

/**
 * Returns what the web console needs of the manifest, as JSON for its HTML page: also the page before sign-in needs the
 * product's URL. Empty without a product. Texts of notifications are in the responses of the API.
 */
export function productForConsole(): string {
  const product = theProduct();
  if (product === null) return "";
  const { name, url, pages } = product;
  const texts = <Names extends object>(part: Names) =>
    Object.fromEntries(Object.entries(part).map(([key, { text }]) => [key, text]));
  return JSON.stringify({
    name,
    url,
    pages,
    permissions: texts(product.permissions),
    limits: texts(product.limits),
    features: texts(product.features),
    audit: texts(product.audit),
    events: texts(product.events),
  });
}
