/** Removes case and accents for searching. */
const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether every word of the search occurs in one of the texts. */
export function matches(search: string, ...texts: readonly string[]): boolean {
  const all = texts.map(plain).join(" ");
  return plain(search)
    .split(/\s+/)
    .every((word) => all.includes(word));
}
