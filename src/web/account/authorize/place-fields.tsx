import { Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useOptionSearch } from "../../lib/search-options.ts";
import { authorizeTexts } from "../../texts/authorize.ts";
import { SearchSelect } from "../../ui/search-select.tsx";
import type { ChoiceProps, OrganizationOfRequest } from "./choice.ts";

type Props = ChoiceProps & { readonly organization: OrganizationOfRequest };

/** The fields for where the app may act: in the whole organization, or in one unit and those below it. */
export function PlaceFields({ organization, choice, onChange }: Props) {
  const texts = useTexts(authorizeTexts);
  return (
    <Radio.Group
      label={texts.place}
      value={choice.isLimited ? "unit" : "whole"}
      onChange={(place) => onChange({ ...choice, isLimited: place === "unit", unitId: null })}
    >
      <Stack gap="xs">
        <Radio value="whole" label={texts.whole} />
        <Radio value="unit" label={texts.onlyUnit} />
        {choice.isLimited && (
          <>
            <UnitField
              organizationId={organization.id}
              value={choice.unitId}
              onChange={(unitId) => onChange({ ...choice, unitId })}
            />
            <Text size="sm">{texts.ownRecords(organization.name)}</Text>
          </>
        )}
      </Stack>
    </Radio.Group>
  );
}

type UnitProps = {
  readonly organizationId: string;
  readonly value: string | null;
  readonly onChange: (unitId: string | null) => void;
};

function UnitField({ organizationId, value, onChange }: UnitProps) {
  const texts = useTexts(authorizeTexts);
  const { query, settings, field, found } = useOptionSearch();
  const { search } = query as { readonly search?: string };
  const units = useApiQuery(
    "GET /api/oauth/unit-options",
    { query: { organizationId, ...(search !== undefined && { search }) } },
    settings,
  );
  const [chosen, setChosen] = useState<string>();
  const options = found({ ...units, data: units.data && { data: units.data } }, ({ id, path }) => [id, path]);
  return (
    <SearchSelect
      label={texts.unit}
      placeholder={texts.searchUnit}
      {...field}
      value={value}
      found={options}
      chosen={chosen}
      onChange={(id) => {
        setChosen(id === null ? undefined : options?.get(id));
        onChange(id);
      }}
    />
  );
}
