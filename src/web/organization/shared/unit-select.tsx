import { Select, type SelectProps, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTexts } from "../../lib/i18n.tsx";
import { unitSelectTexts } from "../../texts/organization-shared.ts";
import { uiTexts } from "../../texts/ui.ts";
import { Hint } from "../../ui/hint.tsx";
import { byId, pathOf, type UnitLike } from "./units.ts";

/** The maximum number of options. The user narrows them by typing. */
const SHOWN = 50;
const WHOLE = "whole";

type Props = Omit<SelectProps, "data" | "value" | "onChange"> & {
  readonly units: readonly UnitLike[];
  /**
   * The id of the chosen unit. Null stands for the whole organization; or for no unit if the whole organization
   * cannot be chosen.
   */
  readonly value: string | null;
  readonly onChange: (unitId: string | null) => void;
  /**
   * Whether the whole organization can be chosen. A string is the text of this option; `true` uses the default
   * text.
   */
  readonly whole?: boolean | string;
};

/** A field for choosing one unit, which is searched by its own name and those of its parents. */
export function UnitSelect({ units, value, onChange, whole = false, ...select }: Props) {
  const words = useTexts(unitSelectTexts);
  const { nothingFound } = useTexts(uiTexts);
  const data = useMemo(() => {
    const known = byId(units);
    const all = units.map(({ id }) => ({ value: id, label: pathOf(known, id) }));
    if (whole === false) return all;
    return [{ value: WHOLE, label: whole === true ? words.whole : whole }, ...all];
  }, [units, whole, words]);
  return (
    <Select
      searchable
      // Selects the field's text on focus, so that typing replaces it.
      onFocus={({ currentTarget }) => currentTarget.select()}
      onClick={({ currentTarget }) => currentTarget.select()}
      limit={SHOWN}
      description={units.length > SHOWN ? words.typeToSearch(String(units.length)) : undefined}
      nothingFoundMessage={nothingFound}
      allowDeselect={false}
      clearable={whole === false}
      clearButtonProps={{ "aria-label": words.clear }}
      renderOption={({ option }) => <Option path={option.label} />}
      {...select}
      data={data}
      value={value ?? (whole === false ? null : WHOLE)}
      onChange={(chosen) => onChange(chosen === WHOLE ? null : chosen)}
    />
  );
}

function Option({ path }: { path: string }) {
  const parts = path.split(" / ");
  const name = parts.pop();
  return (
    <div>
      <Text size="sm">{name}</Text>
      {parts.length > 0 && <Hint size="xs">{parts.join(" / ")}</Hint>}
    </div>
  );
}
