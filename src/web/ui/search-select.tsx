import { Select } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

type Props = {
  readonly label: string;
  readonly placeholder: string;
  /** The records that the API found for the typed text, by id; undefined during the search. */
  readonly found: ReadonlyMap<string, string> | undefined;
  readonly value: string | null;
  /** The name of the chosen record, as soon as it is known. */
  readonly chosen: string | undefined;
  readonly onChange: (id: string | null) => void;
  readonly onSearch: (text: string) => void;
  /** Called when the field gets the focus: options are loaded then. */
  readonly onOpen: () => void;
};

export function SearchSelect({
  label,
  placeholder,
  found,
  value,
  chosen = "…",
  onChange,
  onSearch,
  onOpen,
}: Props) {
  const { nothingFound, loading } = useTexts(uiTexts);
  const names = new Map(found);
  if (value !== null) names.set(value, names.get(value) ?? chosen);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      searchable
      clearable
      clearButtonProps={{ "aria-label": placeholder }}
      nothingFoundMessage={found === undefined ? loading : nothingFound}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      // Offers nothing during a search: otherwise Enter would choose a result of another text.
      filter={({ options }) => options.filter((option) => "value" in option && found?.has(option.value))}
      value={value}
      onChange={onChange}
      // The field's text is the name of the chosen record until the user types. It starts no search.
      onSearchChange={(text) => onSearch(value !== null && text === names.get(value) ? "" : text.trim())}
      onFocus={({ currentTarget }) => {
        onOpen();
        currentTarget.select();
      }}
    />
  );
}
