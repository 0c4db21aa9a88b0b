import { listSearch } from "./list.ts";

type Raw = Record<string, unknown>;
type Texts<Name extends string> = { [Key in Name]?: string };

/** Validates search parameters with these names, which are texts. */
export const texts =
  <Name extends string>(...names: Name[]) =>
  (raw: Raw) =>
    Object.fromEntries(
      names.filter((name) => typeof raw[name] === "string").map((name) => [name, raw[name]]),
    ) as Texts<Name>;

/** Validates the search parameters of a list, including text filters with these names. */
export const filtered =
  <Name extends string>(...names: Name[]) =>
  (raw: Raw) => ({ ...listSearch(raw), ...texts(...names)(raw) });
