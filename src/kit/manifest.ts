/* The product whose code runs elsewhere, and the texts of its manifest. */

export { productText as textOfProduct, theProduct } from "../core/manifest/current.ts";
export { fill, fillText, wordsOf } from "../core/manifest/fill.ts";
export { linkOf, shownOfProduct } from "../core/manifest/notification.ts";
export type { Product, Text } from "../core/manifest/schema.ts";
