import { Checkbox, MultiSelect, Select, Stack } from "@mantine/core";
import type { Schemas } from "../../../../client/index.ts";
import { LANGUAGES, type Language, useTexts } from "../../../lib/i18n.tsx";
import { inviteManyTexts } from "../../../texts/invite-many.ts";
import { uiTexts } from "../../../texts/ui.ts";
import { Hint } from "../../../ui/hint.tsx";
import { useLabels } from "../../../ui/labels.ts";
import { Section } from "../../../ui/page.tsx";
import { UnitSelect } from "../../shared/unit-select.tsx";
import { type ColumnName, type Columns, widthOf } from "./columns.ts";
import type { Table } from "./table.ts";

type ColumnsProps = {
  readonly table: Table;
  readonly isHeaded: boolean;
  readonly onHeading: (isHeaded: boolean) => void;
  readonly value: Columns;
  readonly onChange: (columns: Columns) => void;
};

export function ColumnFields({ table, isHeaded, onHeading, value, onChange }: ColumnsProps) {
  const texts = useTexts(inviteManyTexts);
  const headings = isHeaded ? (table[0] ?? []) : [];
  const columns = Array.from({ length: widthOf(table) }, (_, at) => ({
    value: String(at),
    label: headings[at] || texts.column(at + 1),
  }));
  const labels = {
    email: texts.emailColumn,
    role: texts.roleColumn,
    unit: texts.unitColumn,
    language: texts.languageColumn,
  };
  return (
    <Section title={texts.columns}>
      <Stack gap="sm">
        <Checkbox
          label={texts.heading}
          checked={isHeaded}
          onChange={({ currentTarget }) => onHeading(currentTarget.checked)}
        />
        <div className="cards">
          {(Object.keys(labels) as ColumnName[]).map((name) => (
            <Select
              key={name}
              label={labels[name]}
              data={name === "email" ? columns : [{ value: "", label: texts.same }, ...columns]}
              value={value[name] === null ? "" : String(value[name])}
              allowDeselect={false}
              onChange={(at) => onChange({ ...value, [name]: at ? Number(at) : null })}
            />
          ))}
        </div>
      </Stack>
    </Section>
  );
}

export type Common = {
  readonly roleIds: string[];
  readonly unitId: string | null;
  readonly language: Language;
};
type CommonProps = {
  readonly roles: readonly Schemas["RoleOption"][];
  readonly units: readonly Schemas["UnitOption"][];
  readonly whole: boolean;
  readonly value: Common;
  readonly onChange: (value: Common) => void;
};

/** What applies to all rows whose columns say nothing else. */
export function CommonFields({ roles, units, whole, value, onChange }: CommonProps) {
  const texts = useTexts(inviteManyTexts);
  const { nothingFound } = useTexts(uiTexts);
  const words = useLabels();
  return (
    <Section title={texts.forAll}>
      <Stack gap="sm">
        <Hint>{texts.forAllAbout}</Hint>
        <div className="cards">
          <MultiSelect
            label={texts.roles}
            searchable
            limit={100}
            hidePickedOptions
            nothingFoundMessage={nothingFound}
            data={roles.map(({ id, name }) => ({ value: id, label: words.role(name) }))}
            value={value.roleIds}
            onChange={(roleIds) => onChange({ ...value, roleIds })}
          />
          <UnitSelect
            label={texts.where}
            units={units}
            whole={whole}
            clearable={false}
            value={value.unitId}
            onChange={(unitId) => onChange({ ...value, unitId })}
          />
          <Select
            label={texts.language}
            data={Object.entries(LANGUAGES).map(([key, label]) => ({ value: key, label }))}
            value={value.language}
            allowDeselect={false}
            onChange={(language) => onChange({ ...value, language: language === "el" ? "el" : "en" })}
          />
        </div>
      </Stack>
    </Section>
  );
}
