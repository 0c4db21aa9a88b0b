import { Select, type SelectProps } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

type Props = Omit<SelectProps, "value" | "onChange"> & {
  /** The text without a filter, such as "All units". */
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
};

export function FilterSelect({ placeholder, value, onChange, ...select }: Props) {
  const { nothingFound } = useTexts(uiTexts);
  return (
    <Select
      placeholder={placeholder}
      clearable
      clearButtonProps={{ "aria-label": placeholder }}
      nothingFoundMessage={nothingFound}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      {...select}
    />
  );
}
