import slugify from "@sindresorhus/slugify";

/** Leaves room for the number of a slug that is taken. */
const LONGEST = 56;

/** What a slug begins with for this name (contract 3); `organization-1` and so on where nothing of it is left. */
export function slugBase(name: string): { base: string; from: number } {
  const base = slugify(name, { decamelize: false }).slice(0, LONGEST).replace(/-+$/, "");
  return base.length < 2 ? { base: "organization", from: 2 } : { base, from: 1 };
}
