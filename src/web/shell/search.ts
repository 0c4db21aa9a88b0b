/** As one searches: without case and accents. */
const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether every word of a search is in one of the texts. */
export function matches(search: string, ...texts: readonly string[]): boolean {
  const all = texts.map(plain).join(" ");
  return plain(search)
    .split(/\s+/)
    .every((word) => all.includes(word));
}
