import { Checkbox, TextInput } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form } from "../ui/form.tsx";
import { EmptyState, Page, Section } from "../ui/page.tsx";
import { todoTexts } from "./texts.ts";

/** One's own todos: the example that src/web/README.md explains. */
export function Todos() {
  const texts = useTexts(todoTexts);
  const { dateTime } = useFormat();
  const client = useClient();
  const list = useList("GET /api/todos", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["Todo"]>[] = [
    { key: "done", title: texts.done, render: (todo) => <Done todo={todo} /> },
    { key: "title", title: texts.title, sort: "title", render: (todo) => todo.title },
    { key: "created", title: texts.created, sort: "createdAt", render: (todo) => dateTime(todo.createdAt) },
    {
      key: "remove",
      title: "",
      render: ({ id, title }) => (
        <ConfirmButton
          size="compact-sm"
          label={texts.remove}
          question={texts.removeQuestion(title)}
          run={() => client.request("DELETE /api/todos/{id}", { path: { id } })}
          invalidates={["GET /api/todos"]}
        />
      ),
    },
  ];
  return (
    <Page title={texts.todos}>
      <NewTodo />
      <DataTable
        label={texts.todos}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState text={texts.none} />}
        searchable
      />
    </Page>
  );
}

function NewTodo() {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { title: "" },
    save: (body) => client.request("POST /api/todos", { body }),
    invalidates: ["GET /api/todos"],
    onDone: () => form.form.reset(),
  });
  return (
    <Section title={texts.newTodo}>
      <Form of={form} submit={texts.add}>
        <TextInput label={texts.title} {...form.field("title")} />
      </Form>
    </Section>
  );
}

function Done({ todo: { id, title, completed } }: { todo: Schemas["Todo"] }) {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const change = useAction({
    run: (body: { completed: boolean }) => client.request("PATCH /api/todos/{id}", { path: { id }, body }),
    invalidates: ["GET /api/todos"],
  });
  return (
    <>
      <Checkbox
        aria-label={`${texts.done}: ${title}`}
        checked={change.isRunning ? !completed : completed}
        disabled={change.isRunning}
        onChange={() => change.run({ completed: !completed })}
      />
      <ErrorAlert error={change.error} />
    </>
  );
}
