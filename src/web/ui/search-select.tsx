import { Select } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "./texts.ts";

type Props = {
  readonly label: string;
  readonly placeholder: string;
  /** The records that the API found, and the chosen one. */
  readonly options: ReadonlyMap<string, string>;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  /** Called with the typed text, for a search by the API. */
  readonly onSearch: (text: string) => void;
  /** Called when the field gets the focus: options are loaded then. */
  readonly onOpen: () => void;
};

/** A field for choosing one of many records, which the API searches. */
export function SearchSelect({ label, placeholder, options, value, onChange, onSearch, onOpen }: Props) {
  const { nothingFound } = useTexts(uiTexts);
  // The chosen record has a name as soon as it is loaded.
  const known = value === null || options.has(value) ? options : new Map([...options, [value, "…"]]);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      searchable
      clearable
      clearButtonProps={{ "aria-label": placeholder }}
      nothingFoundMessage={nothingFound}
      data={[...known].map(([id, name]) => ({ value: id, label: name }))}
      // Mantine does not filter the options, because the API has searched already.
      filter={({ options: found }) => found}
      value={value}
      onChange={onChange}
      onSearchChange={onSearch}
      onFocus={({ currentTarget }) => {
        onOpen();
        currentTarget.select();
      }}
    />
  );
}
