import { useEffect, useState } from "react";
import type { StreamStatus } from "../../client/index.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "../texts/shell.ts";

/** The minimum duration in ms of an interruption before the banner is shown. */
const SHOW_AFTER_MS = 4_000;

export function ConnectionBanner({ status }: { status: StreamStatus }) {
  const texts = useTexts(shellTexts);
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const follow = () => setOffline(!navigator.onLine);
    addEventListener("online", follow);
    addEventListener("offline", follow);
    return () => {
      removeEventListener("online", follow);
      removeEventListener("offline", follow);
    };
  }, []);
  const isAway = status === "down" || isOffline;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!isAway) return;
    const timer = setTimeout(() => setLong(true), SHOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isAway]);
  const isShown = isOffline || (isAway && isLong);
  return (
    <div role="status" className="connection-banner" data-shown={isShown || undefined}>
      {isShown && (isOffline ? texts.offline : texts.interrupted)}
    </div>
  );
}
