import type { Schemas } from "../../client/index.ts";

/** A text in both languages, with placeholders such as `{name}` for values. */
export type BothTexts = Readonly<Record<Schemas["Language"], string>>;

/** The names of a text's placeholders in their order, such as "name" in "Delete {name}" (a type). */
type ValuesOf<
  Text extends string,
  Found extends string[] = [],
> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? ValuesOf<Rest, Name extends Found[number] ? Found : [...Found, Name]>
  : Found;
type Values<Names extends string[]> = { [Index in keyof Names]: string | number };
/**
 * The type of a compiled text. A text with placeholders is compiled to a function. The order of its parameters is the
 * order of the placeholders in the English text.
 */
type TextOf<Text extends string> =
  ValuesOf<Text> extends [] ? string : (...values: Values<ValuesOf<Text>>) => string;

/** The texts of a page by language; `useTexts` selects one. */
export type Dictionary<Texts> = { readonly en: Texts; readonly el: Texts };

/**
 * Compiles the texts of a page.
 * @example dictionary({ remove: { en: "Delete {name}", el: "Διαγραφή: {name}" } }).en.remove("Athens")
 */
export function dictionary<const T extends Readonly<Record<string, BothTexts>>>(
  texts: T,
): Dictionary<{ readonly [Key in keyof T]: TextOf<T[Key]["en"]> }> {
  const compiled = (language: keyof BothTexts) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text[language], text.en)]));
  return { en: compiled("en"), el: compiled("el") } as ReturnType<typeof dictionary<T>>;
}

const VALUE = /\{(\w+)\}/g;

function compile(text: string, english: string): string | ((...values: (string | number)[]) => string) {
  const names = [...new Set([...english.matchAll(VALUE)].map(([, name]) => name))];
  if (names.length === 0) return text;
  return (...values) => text.replace(VALUE, (_, name) => String(values[names.indexOf(name)]));
}
