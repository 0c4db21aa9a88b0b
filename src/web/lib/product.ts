import type { PermissionName } from "../../client/index.ts";
import type { BothTexts } from "../texts/dictionary.ts";
import { productJson } from "./environment.ts";

type Texts = Readonly<Record<string, BothTexts>>;
type Product = {
  readonly name: BothTexts;
  /** The address of its pages, without a slash at its end. */
  readonly url: string;
  readonly pages: readonly {
    readonly path: string;
    readonly text: BothTexts;
    readonly permission: PermissionName;
    readonly feature?: string;
  }[];
  readonly permissions: Texts;
  readonly limits: Texts;
  readonly features: Texts;
  readonly audit: Texts;
  readonly events: Texts;
};

/** The product whose code runs elsewhere (src/core/manifest/for-console.ts); null if there is none. */
export const product: Product | null = productJson === "" ? null : JSON.parse(productJson);

/** An absolute address with a host alone before its path: no credentials, spaces, backslashes, control or other characters. */
const ADDRESS = /^https?:\/\/[^/?#@\\]+(?:[/?#][!-[\]-~]*)?$/i;
/** A segment of a path that a browser, or a server that decodes it, resolves. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/**
 * Returns an absolute address as the browser reads it if it is the product's URL or below it, so that it may be opened
 * after sign-in; null for every other text (open redirect).
 */
export function addressOfProduct(text: string): string | null {
  if (product === null || !ADDRESS.test(text) || !URL.canParse(text)) return null;
  const [address, top] = [new URL(text), new URL(product.url)];
  const segments = text.replace(/[?#].*/, "").split(/\/|%2f|%5c/i);
  if (segments.some((segment) => DOTS.test(segment))) return null;
  const isBelow = `${address.pathname}/`.startsWith(`${top.pathname.replace(/\/$/, "")}/`);
  return address.origin === top.origin && isBelow ? address.href : null;
}
