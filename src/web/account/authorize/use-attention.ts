import { useEffect, useState } from "react";

/** How long the page must be in view before somebody may decide: long enough to see that it is another page. */
const WAIT_MS = 1_000;

/**
 * Whether the page is in view and has had the focus for a second. A site could otherwise put this page below a click that
 * is meant for another one.
 */
export function useAttention(): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function restart() {
      clearTimeout(timer);
      setReady(false);
      if (document.visibilityState === "visible" && document.hasFocus())
        timer = setTimeout(() => setReady(true), WAIT_MS);
    }
    restart();
    addEventListener("focus", restart);
    addEventListener("blur", restart);
    document.addEventListener("visibilitychange", restart);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", restart);
      removeEventListener("blur", restart);
      document.removeEventListener("visibilitychange", restart);
    };
  }, []);
  return isReady;
}
