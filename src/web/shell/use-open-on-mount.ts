import { type RefObject, useEffect, useRef } from "react";

/** Opens a menu of `onDemand` when it is mounted, and focuses its button, which replaces the focused placeholder. */
export function useOpenOnMount(open: () => void): RefObject<HTMLButtonElement | null> {
  const target = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run only once
  useEffect(() => {
    target.current?.focus();
    open();
  }, []);
  return target;
}
