import { Button, Group, Popover, Skeleton, Text } from "@mantine/core";
import { useState } from "react";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "../texts/shell.ts";
import { menuTexts } from "../texts/shell-menus.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { BellButton } from "./bell-button.tsx";
import { NotificationList } from "./notification-list.tsx";
import { useOpenOnMount } from "./on-demand.tsx";
import { useOpenNotification } from "./use-open-notification.ts";

const SHOWN = 6;

export default function BellMenu({ unread }: { unread: number | null }) {
  const shell = useTexts(shellTexts);
  const [isOpen, setOpen] = useState(false);
  const target = useOpenOnMount(() => setOpen(true));
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width="min(24rem, calc(100vw - 1rem))"
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <BellButton unread={unread} ref={target} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={shell.notifications} p="xs">
        {isOpen && <Newest unread={unread ?? 0} onClose={() => setOpen(false)} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Newest({ unread, onClose }: { unread: number; onClose: () => void }) {
  const texts = useTexts(menuTexts);
  const shell = useTexts(shellTexts);
  const client = useClient();
  const { data, error, refetch } = useApiQuery("GET /api/notifications", { query: { pageSize: SHOWN } });
  const open = useOpenNotification(onClose);
  const readAll = useAction({
    run: () => client.request("POST /api/notifications/read-all"),
    invalidates: ["GET /api/notifications"],
  });
  return (
    <>
      <Group justify="space-between" px="xs" pb="xs">
        <Text fw={600}>{shell.notifications}</Text>
        {unread > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            loading={readAll.isRunning}
            onClick={() => readAll.run()}
          >
            {texts.readAll}
          </Button>
        )}
      </Group>
      <ErrorAlert error={error ?? open.error ?? readAll.error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton height={120} />}
      {data?.total === 0 && (
        <Text c="dimmed" size="sm" p="xs">
          {shell.noNotifications}
        </Text>
      )}
      {data !== undefined && <NotificationList notifications={data.data} onOpen={open.run} />}
      <TextLink to="/notifications" onClick={onClose} className="bell-all">
        {texts.allNotifications}
      </TextLink>
    </>
  );
}
