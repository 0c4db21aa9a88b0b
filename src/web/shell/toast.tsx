import { lazy, Suspense, useEffect } from "react";
import type { Notification } from "./notification-text.ts";

const Card = lazy(() => import("./toast-card.tsx"));
const SHOWN_MS = 8_000;

/** Shows the newest notification for a few seconds; screen readers announce it. */
export function Toast({ newest, onClose }: { newest: Notification | null; onClose: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each notification restarts the timer
  useEffect(() => {
    if (newest === null) return;
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [newest]);
  return (
    <div className="toasts" role="status">
      <Suspense>{newest !== null && <Card key={newest.id} newest={newest} onClose={onClose} />}</Suspense>
    </div>
  );
}
