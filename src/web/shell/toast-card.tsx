import { Notification as Card, UnstyledButton } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { type Notification, pageOf, useNotificationText } from "./notification-text.ts";
import { shellTexts } from "./texts.ts";
import { useOpenNotification } from "./use-open-notification.ts";

/** A card with a notification and a close button. */
export default function ToastCard({ newest, onClose }: { newest: Notification; onClose: () => void }) {
  const texts = useTexts(shellTexts);
  const text = useNotificationText();
  const open = useOpenNotification(onClose);
  return (
    <Card role="presentation" withBorder onClose={onClose} closeButtonProps={{ "aria-label": texts.close }}>
      {pageOf(newest) === null ? (
        text(newest)
      ) : (
        <UnstyledButton className="toast-link" onClick={() => open.run(newest)}>
          {text(newest)}
        </UnstyledButton>
      )}
    </Card>
  );
}
