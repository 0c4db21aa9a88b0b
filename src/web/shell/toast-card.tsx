import { Notification as Card, UnstyledButton } from "@mantine/core";
import { useEffect } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { menuTexts } from "../texts/shell-menus.ts";
import { type Notification, pageOf, useNotificationText } from "./notification-text.ts";
import { useOpenNotification } from "./use-open-notification.ts";

const SHOWN_MS = 8_000;

/** A card with a notification and a close button. Closes after a few seconds, which begin when it is shown. */
export default function ToastCard({ newest, onClose }: { newest: Notification; onClose: () => void }) {
  const texts = useTexts(menuTexts);
  const text = useNotificationText();
  const open = useOpenNotification(onClose);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a card is mounted for each notification
  useEffect(() => {
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
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
