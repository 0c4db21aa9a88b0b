import { Anchor, Button, Group, Modal, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useCan, useClient } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Form } from "../ui/form.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Done } from "./done.tsx";
import { todoTexts } from "./texts.ts";

/** The list of the user's own todos. It is the example page that src/web/README.md explains. */
export function Todos() {
  const texts = useTexts(todoTexts);
  const { dateTime } = useFormat();
  const client = useClient();
  const list = useList("GET /api/todos", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["Todo"]>[] = [
    { key: "done", title: texts.done, render: (todo) => <Done todo={todo} /> },
    {
      key: "title",
      title: texts.title,
      sort: "title",
      render: ({ title, completed }) => <TodoTitle title={title} isDone={completed} />,
    },
    { key: "created", title: texts.created, sort: "createdAt", render: (todo) => dateTime(todo.createdAt) },
    {
      key: "remove",
      title: "",
      render: (todo) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <EditTodo todo={todo} />
          <ConfirmButton
            size="compact-sm"
            label={texts.remove}
            question={texts.removeQuestion(todo.title)}
            run={() => client.request("DELETE /api/todos/{id}", { path: { id: todo.id } })}
            invalidates={["GET /api/todos"]}
          />
        </Group>
      ),
    },
  ];
  return (
    <Page title={texts.todos} actions={<ToEverybodys />}>
      <NewTodo />
      <DataTable
        label={texts.todos}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="check" text={texts.none} />}
        searchable
      />
    </Page>
  );
}

function TodoTitle({ title, isDone }: { title: string; isDone: boolean }) {
  return (
    <Text
      size="sm"
      className="wrap-anywhere"
      lineClamp={2}
      title={title}
      {...(isDone && { c: "dimmed", td: "line-through" })}
    >
      {title}
    </Text>
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
    <Section title={texts.newTodo}>
      <Form of={form} submit={texts.add}>
        <TextInput label={texts.title} {...form.field("title")} />
      </Form>
    </Section>
  );
}

/** This link is visible only to users who may read the todos of others. */
function ToEverybodys() {
  const texts = useTexts(todoTexts);
  if (!useCan("Todos.ReadAny")) return null;
  return (
    <Anchor component={Link} to="/todos/all" size="sm">
      {texts.everybodys}
    </Anchor>
  );
}

function EditTodo({ todo: { id, title } }: { todo: Schemas["Todo"] }) {
  const texts = useTexts(todoTexts);
  const client = useClient();
  const [isOpen, { open, close }] = useDisclosure();
  const form = useApiForm({
    initialValues: { title },
    save: (body) => client.request("PATCH /api/todos/{id}", { path: { id }, body }),
    invalidates: ["GET /api/todos"],
    onDone: close,
  });
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={open} aria-label={texts.editNamed(title)}>
        {texts.edit}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={texts.edit}
        closeButtonProps={{ "aria-label": texts.close }}
      >
        <Form of={form} submit={texts.save}>
          <TextInput label={texts.title} maxLength={500} data-autofocus {...form.field("title")} />
        </Form>
      </Modal>
    </>
  );
}
