/** Leaves room for the number of a slug that is taken. */
const LONGEST = 56;

/** Greek letters with their accents and breathings as separate marks, of which the transliteration knows few. */
const MARKED_GREEK = /(\p{Script=Greek})[\u0300-\u036f]+/gu;

/**
 * What a slug begins with for this name (rules 10.2), and the number of the first candidate; `organization-2` and so on
 * where nothing of the name is left.
 */
export async function slugBase(name: string): Promise<{ base: string; from: number }> {
  // Loaded where an organization is founded: its tables take 3 MB.
  const { default: slugify } = await import("@sindresorhus/slugify");
  const plain = name.normalize("NFD").replace(MARKED_GREEK, "$1").normalize("NFC");
  const base = slugify(plain, { decamelize: false }).slice(0, LONGEST).replace(/-+$/, "");
  return base.length < 2 ? { base: "organization", from: 2 } : { base, from: 1 };
}
