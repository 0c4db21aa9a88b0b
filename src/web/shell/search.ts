import { folded } from "../theme/fold.ts";

/** Whether every word of the search occurs in one of the texts. */
export function matches(search: string, ...texts: readonly string[]): boolean {
  const all = texts.map(folded).join(" ");
  return folded(search)
    .split(/\s+/)
    .every((word) => all.includes(word));
}
