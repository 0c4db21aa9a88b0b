import { Button, Checkbox, Group, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { shellTexts } from "../texts/shell.ts";
import { menuTexts } from "../texts/shell-menus.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { NotificationList } from "./notification-list.tsx";
import { useOpenNotification } from "./use-open-notification.ts";

type Row = Schemas["Notification"];

export function Notifications() {
  const texts = useTexts(menuTexts);
  const shell = useTexts(shellTexts);
  const { dateTime } = useFormat();
  const client = useClient();
  const { unread = false } = useSearch({ from: "/authenticated/notifications" });
  const list = useList("GET /api/notifications", { sort: "createdAt", order: "desc", unread });
  const open = useOpenNotification();
  const invalidates = ["GET /api/notifications"] as const;
  const readAll = useAction({ run: () => client.request("POST /api/notifications/read-all"), invalidates });
  const read = useAction<string>({
    run: (id) => client.request("POST /api/notifications/{id}/read", { path: { id } }),
    invalidates,
  });
  const dismiss = useAction<string>({
    run: (id) => client.request("DELETE /api/notifications/{id}", { path: { id } }),
    invalidates,
  });
  const columns: Column<Row>[] = [
    { title: texts.what, render: (row) => <NotificationList notifications={[row]} onOpen={open.run} /> },
    {
      title: texts.when,
      sort: "createdAt",
      render: ({ createdAt }) => (
        <Text size="sm" className="no-wrap">
          {dateTime(createdAt)}
        </Text>
      ),
    },
    {
      title: texts.actions,
      render: ({ id, readAt }) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {readAt === null && (
            <Button size="compact-sm" variant="default" onClick={() => read.run(id)}>
              {texts.markRead}
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" onClick={() => dismiss.run(id)}>
            {texts.dismiss}
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Page
      title={shell.notifications}
      actions={
        <Button variant="default" loading={readAll.isRunning} onClick={() => readAll.run()}>
          {texts.readAll}
        </Button>
      }
    >
      <ErrorAlert error={open.error ?? read.error ?? dismiss.error ?? readAll.error} />
      <DataTable
        label={shell.notifications}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState text={unread ? texts.noUnread : shell.noNotifications} />}
        filters={
          <Checkbox
            label={texts.onlyUnread}
            checked={unread}
            onChange={({ currentTarget }) => list.show({ unread: currentTarget.checked || undefined })}
          />
        }
      />
    </Page>
  );
}
