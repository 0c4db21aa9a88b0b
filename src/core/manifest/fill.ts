import { withoutControl } from "../../platform/text.ts";
import type { Text } from "./schema.ts";

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
export const fillText = (
  { en, el }: Text,
  values: Readonly<Record<string, unknown>>,
  encode?: (value: string) => string,
): Text => ({
  en: fill(en, values, encode),
  el: fill(el, values, encode),
});
