import { Anchor, NativeSelect, Text } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../client/react.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { type List, useList } from "../lib/list.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState, Page } from "../ui/page.tsx";
import { uiTexts } from "../ui/texts.ts";
import { Done } from "./done.tsx";
import { todoSearch } from "./search.ts";
import { todoTexts } from "./texts.ts";

/** Everybody's todos in reach, by unit and member. */
export function AllTodos() {
  const texts = useTexts(todoTexts);
  const { nothing, nothingFound } = useTexts(uiTexts);
  const { dateTime } = useFormat();
  const client = useClient();
  const canDelete = useCan("Todos.DeleteAny");
  const { unit, member } = todoSearch(useSearch({ strict: false }) as Record<string, unknown>);
  const list = useList(
    "GET /api/todos/all",
    { sort: "createdAt", order: "desc" },
    { headers: { ...(unit && { "X-Filter-Unit": unit }), ...(member && { "X-Filter-Member": member }) } },
  );
  const columns: Column<Schemas["OwnedTodo"]>[] = [
    { key: "done", title: texts.done, render: (todo) => <Done todo={todo} /> },
    { key: "title", title: texts.title, sort: "title", render: ({ title }) => title },
    { key: "owner", title: texts.owner, render: ({ ownerEmail }) => <Text size="sm">{ownerEmail}</Text> },
    {
      key: "created",
      title: texts.created,
      sort: "createdAt",
      render: ({ createdAt }) => dateTime(createdAt),
    },
    {
      key: "remove",
      title: "",
      render: ({ id, title }) =>
        canDelete && (
          <ConfirmButton
            size="compact-sm"
            label={texts.remove}
            question={texts.removeQuestion(title)}
            run={() => client.request("DELETE /api/todos/{id}", { path: { id } })}
            invalidates={["GET /api/todos", "GET /api/todos/all"]}
          />
        ),
    },
  ];
  const own = (
    <Anchor component={Link} to="/todos" size="sm">
      {texts.own}
    </Anchor>
  );
  return (
    <Page title={texts.everybodys} actions={own}>
      <DataTable
        label={texts.everybodys}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState text={unit || member ? nothingFound : nothing} />}
        searchable
        filters={<Filters list={list} unit={unit} member={member} />}
      />
    </Page>
  );
}

type FilterProps = {
  list: List<Schemas["OwnedTodo"]>;
  unit: string | undefined;
  member: string | undefined;
};

function Filters({ list, unit, member }: FilterProps) {
  const texts = useTexts(todoTexts);
  const canReadMembers = Boolean(useCan("Members.Read"));
  const enabled = { enabled: canReadMembers };
  const { data: units } = useApiQuery("GET /api/members/unit-options", {}, enabled);
  const { data: members } = useApiQuery("GET /api/members", { query: { pageSize: 100 } }, enabled);
  if (!canReadMembers) return null;
  return (
    <>
      <NativeSelect
        label={texts.unit}
        value={unit ?? ""}
        onChange={({ currentTarget: { value } }) => list.show({ unit: value })}
        data={[
          { value: "", label: texts.all },
          // Spaces at the beginning of an option are shown only if they do not break.
          ...(units ?? []).map(({ id, name, depth }) => ({
            value: id,
            label: "\u00a0\u00a0".repeat(depth) + name,
          })),
        ]}
      />
      <NativeSelect
        label={texts.member}
        value={member ?? ""}
        onChange={({ currentTarget: { value } }) => list.show({ member: value })}
        data={[
          { value: "", label: texts.all },
          ...(members?.data ?? []).map(({ userId, firstName, lastName, email }) => ({
            value: userId,
            label: `${firstName} ${lastName} (${email})`,
          })),
        ]}
      />
    </>
  );
}
