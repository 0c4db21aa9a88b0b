import { Text, UnstyledButton } from "@mantine/core";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "../texts/shell.ts";
import { type Notification, useNotificationText } from "./notification-text.ts";

type Props = { notifications: readonly Notification[]; onOpen: (notification: Notification) => void };

/** A list of notifications. Clicking a notification marks it as read and opens its page. */
export function NotificationList({ notifications, onOpen }: Props) {
  const texts = useTexts(shellTexts);
  const text = useNotificationText();
  const { ago, dateTime } = useFormat();
  return (
    <ul className="plain-list">
      {notifications.map((notification) => (
        <li key={notification.id}>
          <UnstyledButton
            className="notification"
            data-unread={notification.readAt === null || undefined}
            onClick={() => onOpen(notification)}
          >
            <Text size="sm" fw={notification.readAt === null ? 600 : 400}>
              {notification.readAt === null && <span className="visually-hidden">{texts.unread}: </span>}
              {text(notification)}
            </Text>
            <Text size="xs" c="dimmed" component="time" title={dateTime(notification.createdAt)}>
              {ago(notification.createdAt)}
            </Text>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
