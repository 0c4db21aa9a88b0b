import { Button, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import type { List } from "../../lib/list.ts";
import { logTexts } from "../../texts/audit-log.ts";
import { type ActiveFilter, activeFilters } from "../filter-chips.tsx";
import { FilterSelect } from "../filter-select.tsx";
import type { Event, LinkedNames } from "./names.ts";
import type { AuditFilters, FilterChange } from "./search.ts";
import { useDescriber } from "./sentence.tsx";
import { useEventLabels } from "./words.ts";

type Props = {
  readonly filters: AuditFilters;
  readonly actions: Readonly<Record<string, string>>;
  readonly list: List<Event>;
  readonly onChange: (change: FilterChange) => void;
  readonly children?: ReactNode;
};

export function Filters({ filters, actions, list, onChange, children }: Props) {
  const texts = useTexts(logTexts);
  const { compare } = useFormat();
  const data = Object.entries(actions)
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => compare(one.label, other.label));
  const isOldestFirst = list.search.order === "asc";
  const day = (name: "from" | "to") => (
    <TextInput
      type="date"
      label={texts[name]}
      value={filters[name] ?? ""}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === "" ? undefined : value })}
    />
  );
  return (
    <>
      <FilterSelect
        label={texts.action}
        placeholder={texts.allActions}
        searchable
        data={data}
        value={filters.action}
        onChange={(action) => onChange({ action })}
      />
      {day("from")}
      {day("to")}
      {children}
      <Button
        variant="default"
        onClick={() => list.show({ order: isOldestFirst ? undefined : "asc", page: undefined })}
      >
        {isOldestFirst ? texts.oldestFirst : texts.newestFirst}
      </Button>
    </>
  );
}

export function useActiveFilters(
  filters: AuditFilters,
  { rows = [] }: List<Event>,
  actions: Readonly<Record<string, string>>,
  names: LinkedNames,
): ActiveFilter[] {
  const texts = useTexts(logTexts);
  const { date } = useFormat();
  const describer = useDescriber(names, useEventLabels(names));
  const { action, actorId, targetId, grantId, organization, from, to } = filters;
  const by = rows.find((event) => event.actorId === actorId);
  const byApp = rows.find(({ client }) => client?.grantId === grantId);
  const about = rows.find((event) => event.targetId === targetId);
  const nameOf = (id: string) =>
    names.person(id) ?? names.unit(id) ?? names.role(id) ?? (about && describer.target(about).name);
  const day = (value: string | undefined) => value && date(`${value}T00:00`);
  return activeFilters([
    { label: texts.action, names: ["action"], value: action && (actions[action] ?? action) },
    { label: texts.from, names: ["from"], value: day(from) },
    { label: texts.to, names: ["to"], value: day(to) },
    {
      label: texts.actor,
      names: ["actorId"],
      value:
        actorId && (names.person(actorId) ?? by?.actor?.email ?? by?.serviceAccount?.name ?? texts.oneUser),
    },
    {
      label: texts.target,
      names: ["targetId", "targetType"],
      value: targetId && (nameOf(targetId) || texts.oneRecord),
    },
    {
      label: texts.app,
      names: ["grantId"],
      value: grantId && (byApp?.client?.name ?? texts.oneApp),
    },
    {
      label: texts.organization,
      names: ["organization"],
      value: organization && (names.organization(organization) ?? "…"),
    },
  ]);
}
