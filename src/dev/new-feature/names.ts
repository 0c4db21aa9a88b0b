/** The forms of a resource's name: `invoices`, `Invoices`, `invoice`, `Invoice`. */
export type Names = { plural: string; Plural: string; singular: string; Singular: string };

const USAGE =
  "Usage: bun run new:feature <plural> [singular] [--in members|units], for example: bun run new:feature invoices";

/**
 * Derives the forms of a resource's name. An irregular singular must be passed.
 * @throws Error if a name is not one word of lower-case letters, or if singular and plural are equal
 */
export function namesOf(plural = "", singular = singularOf(plural)): Names {
  for (const name of [plural, singular])
    if (!/^[a-z]{2,40}$/.test(name)) throw new Error(`A name is one word of lower-case letters.\n${USAGE}`);
  if (plural === singular) throw new Error(`What is the singular of ${plural}?\n${USAGE}`);
  return { plural, Plural: capitalized(plural), singular, Singular: capitalized(singular) };
}

const singularOf = (plural: string) =>
  plural
    .replace(/ies$/, "y")
    .replace(/(x|ch|sh|ss)es$/, "$1")
    .replace(/([^s])s$/, "$1");

const capitalized = (name: string) => name[0]?.toUpperCase() + name.slice(1);

/** Replaces all forms of the template's name `samples`, and corrects the article before each. */
export function withNames(text: string, { plural, Plural, singular, Singular }: Names): string {
  const forms: Record<string, string> = {
    samples: plural,
    Samples: Plural,
    sample: singular,
    Sample: Singular,
  };
  const article = /^[aeiou]/.test(singular) ? "n" : "";
  return text
    .replace(/\b([Aa])(?= sample\b)/g, `$1${article}`)
    .replace(/samples|Samples|sample|Sample/g, (form) => forms[form] ?? form);
}
