import { Notification as Card } from "@mantine/core";
import { useEffect } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { type Notification, useNotificationText } from "./notification-text.ts";
import { shellTexts } from "./texts.ts";

const SHOWN_MS = 8_000;

/** The newest notification, for a moment; screen readers say it too. */
export function Toast({ newest, onClose }: { newest: Notification | null; onClose: () => void }) {
  const texts = useTexts(shellTexts);
  const text = useNotificationText();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each notification has its own time
  useEffect(() => {
    if (newest === null) return;
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [newest]);
  return (
    <div className="toasts" role="status">
      {newest !== null && (
        <Card
          key={newest.id}
          role="presentation"
          withBorder
          onClose={onClose}
          closeButtonProps={{ "aria-label": texts.close }}
        >
          {text(newest)}
        </Card>
      )}
    </div>
  );
}
