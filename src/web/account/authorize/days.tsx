import { Select } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import type { ChoiceProps } from "./choice.ts";

const USUAL = [1, 7, 30, 90, 180, 365];

type Props = ChoiceProps & { readonly of: Schemas["AuthorizationRequest"] };

export function Days({ of: { days, maxDays }, choice, onChange }: Props) {
  const texts = useTexts(authorizeTexts);
  const { number } = useFormat();
  const offered = [...new Set([...USUAL, days, maxDays])]
    .filter((count) => count <= maxDays)
    .sort((one, other) => one - other);
  return (
    <Select
      label={texts.ends}
      description={texts.endsAbout}
      allowDeselect={false}
      data={offered.map((count) => ({
        value: String(count),
        label: count === 1 ? texts.day : texts.days(number(count)),
      }))}
      value={String(choice.days)}
      onChange={(value) => value !== null && onChange({ ...choice, days: Number(value) })}
    />
  );
}
