import { useBlocker } from "@tanstack/react-router";
import { useTexts } from "../lib/i18n.tsx";
import { hasUnsavedChanges } from "../lib/unsaved.ts";
import { shellTexts } from "./texts.ts";

/**
 * Asks for confirmation before the user leaves a page with unsaved changes: for another page, another address, or by
 * closing the window.
 */
export function UnsavedGuard() {
  const { leaveUnsaved } = useTexts(shellTexts);
  useBlocker({
    // Uses a dialog of the browser, as browsers do when a window is closed.
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && hasUnsavedChanges() && !window.confirm(leaveUnsaved),
    enableBeforeUnload: hasUnsavedChanges,
  });
  return null;
}
