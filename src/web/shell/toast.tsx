import { lazy, Suspense } from "react";
import type { Notification } from "./notification-text.ts";

const Card = lazy(() => import("./toast-card.tsx"));

/** Shows the newest notification for a few seconds; screen readers announce it. */
export function Toast({ newest, onClose }: { newest: Notification | null; onClose: () => void }) {
  return (
    <div className="toasts" role="status">
      <Suspense>{newest !== null && <Card key={newest.id} newest={newest} onClose={onClose} />}</Suspense>
    </div>
  );
}
