import { useBlocker } from "@tanstack/react-router";
import { dictionary, useTexts } from "./i18n.tsx";

const texts = dictionary(
  { leave: "You have unsaved changes. Leave the page without saving?" },
  { leave: "Υπάρχουν αλλαγές που δεν έχουν αποθηκευτεί. Να φύγετε από τη σελίδα χωρίς αποθήκευση;" },
);

/**
 * Asks the user before a page with unsaved changes is left: for another page, for another URL in this tab, or by
 * closing the window.
 * @param isUnsaved called when the page is about to be left
 */
export function useUnsavedGuard(isUnsaved: () => boolean): void {
  const { leave } = useTexts(texts);
  useBlocker({
    // The browser's own dialog is used, as when the window is closed.
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && isUnsaved() && !window.confirm(leave),
    enableBeforeUnload: isUnsaved,
  });
}
