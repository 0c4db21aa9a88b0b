import { folded } from "../theme/fold.ts";

export function matches(search: string, ...texts: readonly string[]): boolean {
  const all = texts.map(folded).join(" ");
  return folded(search)
    .split(/\s+/)
    .every((word) => all.includes(word));
}
