import { Notification as Card } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { type Notification, useNotificationText } from "./notification-text.ts";
import { shellTexts } from "./texts.ts";

/** A notification as a card with a close button. */
export default function ToastCard({ newest, onClose }: { newest: Notification; onClose: () => void }) {
  const texts = useTexts(shellTexts);
  const text = useNotificationText();
  return (
    <Card role="presentation" withBorder onClose={onClose} closeButtonProps={{ "aria-label": texts.close }}>
      {text(newest)}
    </Card>
  );
}
