import { type RefObject, useEffect, useRef } from "react";

/**
 * For a menu of `onDemand`: when it is mounted, its button gets the focus of the removed placeholder and the menu
 * opens.
 */
export function useOpenOnMount(open: () => void): RefObject<HTMLButtonElement | null> {
  const target = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    target.current?.focus();
    open();
  }, []);
  return target;
}
