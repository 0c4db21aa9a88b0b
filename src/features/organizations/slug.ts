/** The maximum length of the base of a slug. It leaves space for a number, which is appended if the slug is taken. */
const MAX_LENGTH = 56;

/**
 * Accents and breathings of decomposed Greek letters. The transliteration library supports few of the composed
 * letters.
 */
const MARKED_GREEK = /(\p{Script=Greek})[\u0300-\u036f]+/gu;

/**
 * Returns the base of a slug for this name (rules 10.2), and the number of the first candidate. If no character of
 * the name can be used, the candidates are `organization-2` and so on.
 */
export async function slugBase(name: string): Promise<{ base: string; from: number }> {
  // The library is loaded on demand, because its tables use 3 MB of memory.
  const { default: slugify } = await import("@sindresorhus/slugify");
  const plain = name.normalize("NFD").replace(MARKED_GREEK, "$1").normalize("NFC");
  const base = slugify(plain, { decamelize: false }).slice(0, MAX_LENGTH).replace(/-+$/, "");
  return base.length < 2 ? { base: "organization", from: 2 } : { base, from: 1 };
}
