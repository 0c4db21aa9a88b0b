import { listSearch } from "./list.ts";

type Raw = Record<string, unknown>;

/** Returns the search parameters with these names that are texts. */
export const texts = <Name extends string>(raw: Raw, names: Name[]) =>
  Object.fromEntries(
    names.filter((name) => typeof raw[name] === "string").map((name) => [name, raw[name]]),
  ) as {
    [Key in Name]?: string;
  };

/** Validates the search parameters of a list, including text filters with these names. */
export const filtered =
  <Name extends string>(...names: Name[]) =>
  (raw: Raw) => ({ ...listSearch(raw), ...texts(raw, names) });
