import { theProduct } from "./current.ts";

/** Returns the origin of the product's pages, unless they have the origin of the client. */
export function originOfProduct(appUrl: string): string[] {
  const product = theProduct();
  if (product === null) return [];
  const { origin } = new URL(product.url);
  return origin === new URL(appUrl).origin ? [] : [origin];
}
