/** Returns a text as searches compare it, like the API: in one normal form, without case and accents. */
export const folded = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");

type Item = { label: string };
type Group = { group: string; items: Item[] };

export function foldedOptions({ options, search }: { options: (Item | Group)[]; search: string }) {
  const part = folded(search.trim());
  const isFound = ({ label }: Item) => folded(label).includes(part);
  return options.flatMap((one): (Item | Group)[] => {
    if ("items" in one) return [{ ...one, items: one.items.filter(isFound) }];
    return isFound(one) ? [one] : [];
  });
}
