import { Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { type List, useList } from "../lib/list.ts";
import { uiTexts } from "../texts/ui.ts";
import { Ago } from "../ui/ago.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { activeFilters } from "../ui/filter-chips.tsx";
import { FilterSelect } from "../ui/filter-select.tsx";
import { Page } from "../ui/page.tsx";
import { PersonSelect } from "../ui/person-select.tsx";
import { RowMenu } from "../ui/row-menu.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { Done } from "./done.tsx";
import { todoTexts } from "./texts.ts";
import { TodoTitle } from "./title.tsx";

const route = getRouteApi("/authenticated/todos/all");

/** The list of all todos that the user may read, filtered by unit and member. */
export function AllTodos() {
  const texts = useTexts(todoTexts);
  const { nothing } = useTexts(uiTexts);
  const client = useClient();
  const canDelete = useCan("Todos.DeleteAny");
  const { unit, member } = route.useSearch();
  const list = useList(
    "GET /api/todos/all",
    { sort: "createdAt", order: "desc" },
    { headers: { ...(unit && { "X-Filter-Unit": unit }), ...(member && { "X-Filter-Member": member }) } },
  );
  const active = useActive(unit, member);
  const removalOf = (id: string, title: string) => ({
    question: texts.removeQuestion(title),
    run: () => client.request("DELETE /api/todos/{id}", { path: { id } }),
    invalidates: ["GET /api/todos", "GET /api/todos/all"] as const,
  });
  const columns: Column<Schemas["OwnedTodo"]>[] = [
    { title: texts.done, render: (todo) => <Done todo={todo} /> },
    { title: texts.title, sort: "title", render: (todo) => <TodoTitle of={todo} /> },
    { title: texts.owner, render: ({ ownerEmail }) => <Text size="sm">{ownerEmail}</Text> },
    { title: texts.created, sort: "createdAt", render: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      title: "",
      render: ({ id, title }) => (
        <div className="row-actions">
          <RowMenu
            label={texts.actionsOf(title)}
            actions={[canDelete && { label: texts.remove, confirm: removalOf(id, title) }]}
          />
        </div>
      ),
    },
  ];
  const own = <TextLink to="/todos">{texts.own}</TextLink>;
  return (
    <Page title={texts.everybodys} actions={own}>
      <DataTable
        label={texts.everybodys}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="check" text={nothing} />}
        searchable
        active={active}
        filters={<Filters list={list} unit={unit} member={member} />}
      />
    </Page>
  );
}

/** Returns the active filters with the names of the unit and the member. */
function useActive(unit: string | undefined, member: string | undefined) {
  const texts = useTexts(todoTexts);
  const mayRead = Boolean(useCan("Members.Read"));
  const { data: units } = useApiQuery(
    "GET /api/members/unit-options",
    {},
    { enabled: mayRead && unit !== undefined },
  );
  const { data: person } = useApiQuery(
    "GET /api/members/{userId}",
    { path: { userId: member ?? "" } },
    { enabled: mayRead && member !== undefined },
  );
  const unitName = units?.find(({ id }) => id === unit)?.name ?? "…";
  return activeFilters([
    { label: texts.unit, names: ["unit"], value: unit && unitName },
    {
      label: texts.member,
      names: ["member"],
      value: member && (person ? `${person.firstName} ${person.lastName}` : "…"),
    },
  ]);
}

type FilterProps = {
  list: List<Schemas["OwnedTodo"]>;
  unit: string | undefined;
  member: string | undefined;
};

/** The maximum number of options. The user narrows them by typing. */
const SHOWN = 50;

function Filters({ list, unit, member }: FilterProps) {
  const texts = useTexts(todoTexts);
  const canReadMembers = Boolean(useCan("Members.Read"));
  const { data: units = [] } = useApiQuery("GET /api/members/unit-options", {}, { enabled: canReadMembers });
  if (!canReadMembers) return null;
  return (
    <>
      <FilterSelect
        label={texts.unit}
        placeholder={texts.all}
        searchable
        limit={SHOWN}
        value={unit}
        onChange={(value) => list.show({ unit: value })}
        // Units are indented by non-breaking spaces, because normal spaces at the beginning of an option are not
        // visible.
        data={units.map(({ id, name, depth }) => ({ value: id, label: "\u00a0\u00a0".repeat(depth) + name }))}
      />
      <PersonSelect
        label={texts.member}
        placeholder={texts.all}
        value={member ?? null}
        onChange={(userId) => list.show({ member: userId ?? undefined })}
      />
    </>
  );
}
