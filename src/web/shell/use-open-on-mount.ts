import { type RefObject, useEffect, useRef } from "react";

/** For a menu of `onDemand`: its button takes the focus of the one before, which is gone, and is opened. */
export function useOpenOnMount(open: () => void): RefObject<HTMLButtonElement | null> {
  const target = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    target.current?.focus();
    open();
  }, []);
  return target;
}
