import type { ReactNode } from "react";
import { useTexts } from "../../lib/i18n.tsx";
import type { List } from "../../lib/list.ts";
import { logTexts } from "../../texts/audit-log.ts";
import { EmptyState } from "../empty-state.tsx";
import { EventList } from "./event-list.tsx";
import { Filters, useActiveFilters } from "./filters.tsx";
import type { Event, LinkedNames } from "./names.ts";
import type { AuditFilters } from "./search.ts";

type Props = {
  readonly label: string;
  readonly list: List<Event>;
  readonly names: LinkedNames;
  readonly path: string;
  readonly filters: AuditFilters;
  readonly actions: Readonly<Record<string, string>>;
  readonly fields?: ReactNode;
  readonly hasOrganizations?: boolean;
};

export function EventLog({ label, list, names, path, filters, actions, fields, hasOrganizations }: Props) {
  const texts = useTexts(logTexts);
  const active = useActiveFilters(filters, list, actions, names);
  return (
    <EventList
      label={label}
      list={list}
      names={names}
      logPath={path}
      hasOrganizations={hasOrganizations === true}
      empty={<EmptyState icon="list" text={texts.noneYet} />}
      searchable
      searchPlaceholder={texts.searchHint}
      active={active}
      filters={
        <Filters filters={filters} actions={actions} list={list} onChange={list.show}>
          {fields}
        </Filters>
      }
    />
  );
}
