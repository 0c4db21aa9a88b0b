/** An item of a list, or nothing if its condition is not met: `mayEdit && item`. */
export type Maybe<Item> = Item | false | null | undefined | "" | 0;

export const present = <Item extends object>(items: readonly Maybe<Item>[]): Item[] =>
  items.filter((item): item is Item => Boolean(item));
