/** The names of a text's placeholders in their order, such as "name" in "Delete {name}" (a type). */
type ValuesOf<
  Text extends string,
  Found extends string[] = [],
> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? ValuesOf<Rest, Name extends Found[number] ? Found : [...Found, Name]>
  : Found;
/**
 * The type of a compiled text. A text with placeholders is compiled to a function. The order of its parameters is the
 * order of the placeholders in the English text.
 */
type TextOf<Text extends string> =
  ValuesOf<Text> extends [] ? string : (...values: Values<ValuesOf<Text>>) => string;
type Values<Names extends string[]> = { [Index in keyof Names]: string | number };

type Texts = Readonly<Record<string, string>>;
type Same<T> = { readonly [Key in keyof T]: string };
export type Compiled<T> = { readonly [Key in keyof T]: T[Key] extends string ? TextOf<T[Key]> : never };

export type Dictionary<T> = { readonly en: Compiled<T>; readonly el: Compiled<T> };

/**
 * Joins the texts of an area in both languages, from `texts/en` and `texts/el`. A text that is missing in one
 * language is a type error.
 * @example dictionary({ remove: "Delete {name}" } as const, { remove: "Διαγραφή: {name}" }).en.remove("Athens")
 */
export function dictionary<const T extends Texts>(en: T, el: NoInfer<Same<T>>): Dictionary<T> {
  const compiled = (texts: Texts) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text, en[key] ?? text)]));
  return { en: compiled(en), el: compiled(el) } as Dictionary<T>;
}

const VALUE = /\{(\w+)\}/g;

function compile(text: string, english: string): string | ((...values: (string | number)[]) => string) {
  const names = [...new Set([...english.matchAll(VALUE)].map(([, name]) => name))];
  if (names.length === 0) return text;
  return (...values) => text.replace(VALUE, (_, name) => String(values[names.indexOf(name)]));
}
