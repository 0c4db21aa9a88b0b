/** Leaves space for the number that is appended to a taken slug. */
const MAX_LENGTH = 56;

/** Accents and breathings of Greek letters, decomposed: the transliteration supports few of the composed letters. */
const MARKED_GREEK = /(\p{Script=Greek})[\u0300-\u036f]+/gu;

/**
 * Returns the base of a slug for this name (rules 10.2), and the number of the first candidate; `organization-2` and
 * so on if no character of the name can be used.
 */
export async function slugBase(name: string): Promise<{ base: string; from: number }> {
  // The library is loaded on demand, because its tables take 3 MB.
  const { default: slugify } = await import("@sindresorhus/slugify");
  const plain = name.normalize("NFD").replace(MARKED_GREEK, "$1").normalize("NFC");
  const base = slugify(plain, { decamelize: false }).slice(0, MAX_LENGTH).replace(/-+$/, "");
  return base.length < 2 ? { base: "organization", from: 2 } : { base, from: 1 };
}
