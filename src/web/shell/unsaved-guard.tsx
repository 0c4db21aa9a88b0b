import { useBlocker } from "@tanstack/react-router";
import { useTexts } from "../lib/i18n.tsx";
import { hasUnsavedChanges } from "../lib/unsaved.ts";
import { shellTexts } from "./texts.ts";

/** Asks before a page with unsaved changes is left: for another page, another address, or by closing the window. */
export function UnsavedGuard() {
  const { leaveUnsaved } = useTexts(shellTexts);
  useBlocker({
    // The browser's own dialog, as for a closed window.
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && hasUnsavedChanges() && !window.confirm(leaveUnsaved),
    enableBeforeUnload: hasUnsavedChanges,
  });
  return null;
}
