import { useEffect, useRef } from "react";

const checks = new Set<() => boolean>();

export const hasUnsavedChanges = (): boolean => [...checks].some((isUnsaved) => isUnsaved());

/**
 * Makes the console ask before a page with unsaved changes is left: see `UnsavedGuard`.
 * @param isUnsaved called when the page is about to be left
 */
export function useUnsavedGuard(isUnsaved: () => boolean): void {
  const newest = useRef(isUnsaved);
  useEffect(() => {
    newest.current = isUnsaved;
  });
  useEffect(() => {
    const check = () => newest.current();
    checks.add(check);
    return () => void checks.delete(check);
  }, []);
}
