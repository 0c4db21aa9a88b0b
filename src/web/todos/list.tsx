import { TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useCan, useClient } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { Ago } from "../ui/ago.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { RowMenu } from "../ui/row-menu.tsx";
import { Segments } from "../ui/segments.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { Done } from "./done.tsx";
import { todoTexts } from "./texts.ts";
import { TodoTitle } from "./title.tsx";

const route = getRouteApi("/authenticated/todos");

/** The list of the user's own todos. It is the example page that src/web/README.md explains. */
export function Todos() {
  const texts = useTexts(todoTexts);
  const { completed } = route.useSearch();
  const list = useList("GET /api/todos", {
    sort: "createdAt",
    order: "desc",
    ...(completed !== undefined && { completed }),
  });
  const columns: Column<Schemas["Todo"]>[] = [
    { title: texts.done, render: (todo) => <Done todo={todo} /> },
    { title: texts.title, sort: "title", render: (todo) => <TodoTitle of={todo} /> },
    { title: texts.created, sort: "createdAt", render: ({ createdAt }) => <Ago at={createdAt} /> },
    { title: "", render: (todo) => <Actions todo={todo} /> },
  ];
  return (
    <Page title={texts.todos} actions={<ToEverybodys />}>
      <NewTodo />
      <DataTable
        label={texts.todos}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="check" text={completed === undefined ? texts.none : texts.noMatch} />}
        searchable
        filters={
          <Segments
            label={texts.state}
            options={[
              { value: "all", label: texts.every },
              { value: "open", label: texts.open },
              { value: "done", label: texts.completed },
            ]}
            value={completed === undefined ? "all" : completed ? "done" : "open"}
            onChange={(value) => list.show({ completed: value === "all" ? undefined : value === "done" })}
          />
        }
      />
    </Page>
  );
}

function NewTodo() {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { title: "" },
    save: (body, idempotencyKey) => client.request("POST /api/todos", { body, idempotencyKey }),
    invalidates: ["GET /api/todos"],
    onDone: () => form.form.reset(),
  });
  return (
    <div className="new-todo">
      <Form of={form} submit={texts.add}>
        <TextInput aria-label={texts.title} placeholder={texts.newTodo} {...form.field("title")} />
      </Form>
    </div>
  );
}

/** This link is visible only to users who may read the todos of others. */
function ToEverybodys() {
  const texts = useTexts(todoTexts);
  if (!useCan("Todos.ReadAny")) return null;
  return <TextLink to="/todos/all">{texts.everybodys}</TextLink>;
}

function Actions({ todo }: { todo: Schemas["Todo"] }) {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const [isOpen, { open, close }] = useDisclosure();
  const removal = {
    question: texts.removeQuestion(todo.title),
    run: () => client.request("DELETE /api/todos/{id}", { path: { id: todo.id } }),
    invalidates: ["GET /api/todos"] as const,
  };
  return (
    <div className="row-actions">
      <RowMenu
        label={texts.actionsOf(todo.title)}
        actions={[
          { label: texts.edit, onClick: open },
          { label: texts.remove, confirm: removal },
        ]}
      >
        <EditTodo todo={todo} isOpen={isOpen} onClose={close} />
      </RowMenu>
    </div>
  );
}

type EditProps = {
  readonly todo: Schemas["Todo"];
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

function EditTodo({ todo: { id, title }, isOpen, onClose }: EditProps) {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { title },
    save: (body) => client.request("PATCH /api/todos/{id}", { path: { id }, body }),
    invalidates: ["GET /api/todos"],
    onDone: onClose,
  });
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.edit}>
      <Form of={form} onCancel={onClose}>
        <TextInput label={texts.title} maxLength={500} data-autofocus {...form.field("title")} />
      </Form>
    </Dialog>
  );
}
