import type { Product, Text } from "./schema.ts";

let current: Product | null = null;

/** Sets the product of this process; src/app/features.ts does, before any name is asked for. */
export function setProduct(product: Product | null): void {
  current = product;
}

/** Returns the product whose code runs elsewhere; null if there is none. */
export const theProduct = (): Product | null => current;

type TextPart = "permissions" | "limits" | "features" | "audit" | "events" | "notifications";

/** Returns the text of one of the product's names; null for a name of the service, and for one that the product does not have. */
export function productText(part: TextPart, name: string): Text | null {
  const names = current?.[part];
  return names !== undefined && Object.hasOwn(names, name) ? (names[name]?.text ?? null) : null;
}

/** Returns the origin of the product's pages, unless they have the origin of the client. */
export function originOfProduct(appUrl: string): string[] {
  if (current === null) return [];
  const { origin } = new URL(current.url);
  return origin === new URL(appUrl).origin ? [] : [origin];
}
